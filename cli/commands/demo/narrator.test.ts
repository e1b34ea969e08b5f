import { expect, it } from 'vitest'
import type { Terminal } from '../../terminal/index.ts'
import { createNarrator } from './narrator.ts'

const PUBLISHED = {
  slices: 1,
  endpoints: 50,
  ready: 40,
  zones: { 'zone-a': 40, 'zone-b': 10, 'zone-c': 0 },
}

function textOf(terminal: Pick<Terminal, 'isTerminal' | 'columns'>): string[] {
  let text = ''
  const narrator = createNarrator(
    (part) => {
      text += part
    },
    { ...terminal, style: (_, given) => given },
  )
  narrator.chapter('it begins')
  narrator.published('web', PUBLISHED)
  narrator.published('gone', { slices: 0, endpoints: 0, ready: 0, zones: {} })
  return text.replaceAll(/ *\d+\.\d\d s/g, '  T s').split('\n')
}

it('prints plain lines into a pipe', () => {
  expect(textOf({ isTerminal: false, columns: 40 })).toEqual([
    '',
    '  T s  it begins',
    '  T s    web: 1 slice, 50 endpoints (zone-a 40, zone-b 10, zone-c 0), 40 ready',
    '  T s    gone: no slices',
    '',
  ])
})

it('keeps to the width of a narrow terminal', () => {
  for (const columns of [40, 60, 80])
    for (const line of textOf({ isTerminal: true, columns }))
      expect(line.replace(' T s', ' 10.00 s').length).toBeLessThanOrEqual(columns)
})
