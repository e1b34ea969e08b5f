import { expect, it } from 'vitest'
import { tablesText, tableText } from './text.ts'

const ROWS = [
  ['policy', 'window', 'writes', 'sent', 'p99'],
  ['in-tree', 'auto', '113', '18.4 MB', '621 ms'],
]

it('writes one table where it fits, with the first column to the left and the others to the right', () => {
  expect(tablesText(ROWS, { keys: 2, width: 80 })).toBe(
    'policy   window  writes     sent     p99\nin-tree    auto     113  18.4 MB  621 ms\n',
  )
  expect(tablesText(ROWS, { keys: 2, width: 80 })).toBe(tableText(ROWS))
})

it('writes what does not fit below, with the first cells once more', () => {
  expect(tablesText(ROWS, { keys: 2, width: 33 })).toBe(
    [
      'policy   window  writes     sent',
      'in-tree    auto     113  18.4 MB',
      '',
      'policy   window     p99',
      'in-tree    auto  621 ms',
      '',
    ].join('\n'),
  )
  const narrow = tablesText(ROWS, { keys: 2, width: 1 })
  for (const name of ['writes', 'sent', 'p99']) expect(narrow).toContain(name)
})
