import { expect, it } from 'vitest'
import { withoutAccidents } from './accidents.ts'

const SURROUNDINGS = { folder: '/tmp/run', server: 'https://127.0.0.1:6443' }

it.each([
  ['3s', 'now'],
  ['5m3s', 'minutes later'],
  ['4h', 'hours later'],
  ['324d', 'within two years'],
  ['2y19d', 'after two years'],
])('an age of %s is not part of a transcript, whether it is played %s or not', (age) => {
  const printed = `LAST SEEN\n${age}      Normal\n${age} (x3 over ${age})   Normal\n`
  expect(withoutAccidents(printed, SURROUNDINGS)).toBe(
    'LAST SEEN\n<age>  Normal\n<age> (x3 over <age>)   Normal\n',
  )
})

it('what only looks like an age stays', () => {
  const printed = '3days 4d2 x5s (4dd)'
  expect(withoutAccidents(printed, SURROUNDINGS)).toBe(printed)
})

it('that an API server repaired the address of a Service is not part of a transcript, and other events are', () => {
  const head =
    'Internal Traffic Policy:  Cluster\nEvents:\n  Type     Reason  From  Message\n  ----     ------  ----  -------\n'
  const repaired =
    '  Warning  ClusterIPNotAllocated  repair-controller  Cluster IP [IPv4]: 10.0.0.1 is not allocated\n'
  const other = '  Warning  Other  somebody  something\n'
  expect(withoutAccidents(`${head}${repaired}`, SURROUNDINGS)).toBe(
    'Internal Traffic Policy:  Cluster\nEvents:                   <none>\n',
  )
  expect(withoutAccidents(`${head}${other}`, SURROUNDINGS)).toBe(`${head}${other}`)
})
