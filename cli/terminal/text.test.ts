import { expect, it } from 'vitest'
import { ageText, columns, counted } from './text.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')

it.each([
  ['2026-03-01T12:00:00Z', '0s'],
  ['2026-03-01T11:58:01Z', '119s'],
  ['2026-03-01T11:58:00Z', '2m'],
  ['2026-03-01T10:00:01Z', '119m'],
  ['2026-03-01T10:00:00Z', '2h'],
  ['2026-02-27T12:00:00Z', '2d'],
  ['2026-03-01T12:00:05Z', '0s'],
  [undefined, '-'],
  ['nonsense', '-'],
])('the age of %s is %s', (time, age) => expect(ageText(time, NOW)).toBe(age))

it('columns are as wide as their widest cell, without blanks at the end of lines', () => {
  expect(
    columns(
      [
        ['NAME', 'STATE'],
        ['a', ''],
        ['longer', 'b'],
      ],
      { indent: '  ' },
    ),
  ).toEqual(['  NAME    STATE', '  a', '  longer  b'])
})

it('one thing is singular', () =>
  expect([counted(1, 'slice'), counted(0, 'slice'), counted(2, 'batch')]).toEqual([
    '1 slice',
    '0 slices',
    '2 batches',
  ]))
