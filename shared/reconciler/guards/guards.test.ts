import { expect, it } from 'vitest'
import { createLogLimit, LOG_INTERVAL_MS } from './guards.ts'

it('a line is logged once in ten minutes, cluster by cluster, and a bounded number is remembered', () => {
  let now = 1
  const log = createLogLimit(() => now)
  expect([
    log.isDue('a', 'kcm'),
    log.isDue('a', 'kcm'),
    log.isDue('b', 'kcm'),
    log.isDue('a', 'k3s'),
  ]).toEqual([true, false, true, true])
  now += LOG_INTERVAL_MS
  expect(log.isDue('a', 'kcm')).toBe(false)
  now += 1
  expect(log.isDue('a', 'kcm')).toBe(true)
  for (let count = 0; count < 1000; count++) log.isDue('a', `manager-${count}`)
  expect(log.isDue('a', 'kcm')).toBe(true)
})
