import { expect, it } from 'vitest'
import { throttleWarnings } from './throttled-log.ts'

it('a throttled log warns at most once in 10 s, and then reports how often it did not', () => {
  const lines: object[] = []
  let clock = 0
  const log = throttleWarnings({ warn: (fields) => lines.push(fields) }, () => clock)
  for (let time = 0; time < 5; time++) log.warn({ attempt: time }, 'refused')
  clock = 10_000
  log.warn({ attempt: 5 }, 'refused')
  clock = 20_000
  log.warn({ attempt: 6 }, 'refused')
  expect(lines).toEqual([{ attempt: 0 }, { attempt: 5, alike: 4 }, { attempt: 6 }])
})
