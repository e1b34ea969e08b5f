import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLogger } from '../../../shared/telemetry/index.ts'
import { createStatusRecord, startShadowTotal } from './status-record.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const PASS_MS = 10_000

function setUp() {
  const reported: object[] = []
  const { observer, document } = createStatusRecord(['a', 'b'])
  const logger = createLogger({
    write: (line) => {
      const { services, same, different, invalid } = JSON.parse(line)
      reported.push({ services, same, different, invalid })
    },
  })
  const end = startShadowTotal({ status: document, logger })
  const compare = (
    cluster: string,
    service: string,
    result: 'same' | 'different' | 'invalid' | 'unmanaged',
  ) => observer.onCompared?.({ key: { cluster, namespace: 'shop', service }, result, differences: new Map() })
  return { reported, compare, end }
}

it('keeps a running total over all clusters, by the latest comparison of each Service', () => {
  const { reported, compare, end } = setUp()
  compare('a', 'web', 'different')
  compare('b', 'web', 'same')
  compare('b', 'cart', 'invalid')
  vi.advanceTimersByTime(PASS_MS)
  compare('a', 'web', 'same')
  compare('b', 'cart', 'unmanaged')
  vi.advanceTimersByTime(PASS_MS)
  end()
  expect(reported).toEqual([
    { services: 3, same: 1, different: 1, invalid: 1 },
    { services: 2, same: 2, different: 0, invalid: 0 },
  ])
})

it('reports nothing twice, nothing before the first comparison, and what is new at the end', () => {
  const { reported, compare, end } = setUp()
  vi.advanceTimersByTime(5 * PASS_MS)
  expect(reported).toEqual([])
  compare('a', 'web', 'different')
  vi.advanceTimersByTime(5 * PASS_MS)
  expect(reported).toHaveLength(1)
  compare('a', 'cart', 'same')
  end()
  vi.advanceTimersByTime(PASS_MS)
  expect(reported).toHaveLength(2)
})
