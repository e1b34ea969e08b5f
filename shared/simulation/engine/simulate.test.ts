import { describe, expect, it } from 'vitest'
import { POLICY_NAMES } from '../policies/index.ts'
import { singleUpdate } from '../presets.ts'
import { churnWorkload, lossWorkload, rollingWorkload, scaleWorkload } from '../workloads/index.ts'
import { simulate } from './index.ts'

const size = { services: 2, endpoints: 120, nodes: 10 }
const rolling = rollingWorkload(size, { seed: 1 })

describe('a simulation', () => {
  it('gives the same result for the same seed, and another for another seed', async () => {
    const churn = (seed: number) => churnWorkload(size, { seed, duration: 600, meanChange: 300 })
    const run = (seed: number) => simulate({ workload: churn(seed), policy: 'in-tree', seed })
    expect(await run(7)).toEqual(await run(7))
    expect(await run(7)).not.toEqual(await run(8))
  })

  it.each(POLICY_NAMES)('publishes each change in the end, by %s', async (policy) => {
    for (const workload of [
      rolling,
      scaleWorkload(size, { seed: 1 }),
      lossWorkload(size, { seed: 1, of: 'zone' }),
    ]) {
      const { run } = await simulate({ workload, policy })
      expect(run.changes).toBe(run.events)
      expect(run.changes).toBeGreaterThan(0)
      expect(run.messages).toBeGreaterThan(0)
      expect(run.stalenessMs.p50).toBeGreaterThanOrEqual(14)
      expect(run.watchEvents).toBe(run.writes * size.nodes)
    }
  })

  it('writes one object if one endpoint changes', async () => {
    for (const policy of POLICY_NAMES) {
      const { run } = await simulate({ workload: singleUpdate({ ...size, services: 1 }), policy })
      expect(run).toMatchObject({ writes: 1, watchEvents: size.nodes, messages: 1, changes: 1 })
    }
  })

  it('writes less and later with a longer coalescing window', async () => {
    const windows = [0, 1, 5]
    const runs = await Promise.all(
      windows.map((coalescingWindow) =>
        simulate({ workload: rolling, policy: 'in-tree', settings: { coalescingWindow } }),
      ),
    )
    const writes = runs.map(({ run }) => run.writes)
    const late = runs.map(({ run }) => run.stalenessMs.p99)
    expect(writes).toEqual(writes.toSorted((a, b) => b - a))
    expect(new Set(writes).size).toBe(3)
    expect(late).toEqual(late.toSorted((a, b) => a - b))
  })

  it('sends each write to each watcher once, in the requested encoding', async () => {
    const workload = singleUpdate({ ...size, services: 1 })
    const sent = async (nodes: number, encoding: 'protobuf' | 'json') => {
      const { run } = await simulate({
        workload: { ...workload, nodes: workload.nodes.slice(0, nodes) },
        policy: 'in-tree',
        watching: { encoding },
      })
      return run
    }
    const [one, two, json] = [await sent(5, 'protobuf'), await sent(10, 'protobuf'), await sent(10, 'json')]
    expect(two.watchEvents).toBe(2 * one.watchEvents)
    expect(json.bytesSent).toBeGreaterThan(1.5 * two.bytesSent)
    expect(json.bytesStored).toBe(two.bytesStored)
  })
})
