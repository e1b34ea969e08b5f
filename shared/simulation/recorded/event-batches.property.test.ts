import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { churnWorkload, type RelayEvent, replay, rollingWorkload } from '../workloads/index.ts'
import { createBatchReader, createBatchWriter, recordedWorkload } from './index.ts'
import { recordWorkload } from './record-workload.fixtures.ts'

const size = { services: 1, endpoints: 20, nodes: 3 }
const WORKLOADS = {
  churn: (seed: number) => churnWorkload(size, { seed, duration: 300, meanChange: 60 }),
  rolling: (seed: number) => rollingWorkload(size, { seed, perSecond: 2, termination: 1 }),
}

async function batchesOf(name: keyof typeof WORKLOADS, seed: number): Promise<(readonly RelayEvent[])[]> {
  const { lines } = await recordWorkload(WORKLOADS[name](seed))
  const workload = await recordedWorkload({
    async *open() {
      yield* lines
    },
  })
  const batches: (readonly RelayEvent[])[] = []
  for await (const batch of replay(workload)) batches.push(batch)
  return batches
}

describe('a batch of events between threads', () => {
  it('is decoded as it was encoded, whichever fields are numbers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('churn', 'rolling'), fc.nat(), async (name, seed) => {
        const [write, read] = [createBatchWriter(), createBatchReader()]
        for (const batch of await batchesOf(name, seed))
          expect(read(structuredClone(write(batch)))).toEqual(batch)
      }),
      { numRuns: 20 },
    )
  })

  it('is numbers for nearly all that Pods do in churn', async () => {
    const write = createBatchWriter()
    const relayEvent = (await batchesOf('churn', 1)).flat()
    const changes = relayEvent.filter((one) => 'changes' in one).length
    const copied = write(relayEvent).others.filter((one) => 'changes' in one).length
    expect(changes).toBeGreaterThan(90)
    expect(copied / changes).toBeLessThan(0.25)
  })
})
