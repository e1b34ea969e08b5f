import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { churnWorkload, rollingWorkload, type Told, toldOf } from '../workloads/index.ts'
import { createToldReader, createToldWriter, recordedWorkload } from './index.ts'
import { recordWorkload } from './record-workload.fixtures.ts'

const size = { services: 1, endpoints: 20, nodes: 3 }
const WORKLOADS = {
  churn: (seed: number) => churnWorkload({ ...size, seed, duration: 300, meanChange: 60 }),
  rolling: (seed: number) => rollingWorkload({ ...size, seed, perSecond: 2, termination: 1 }),
}

async function batchesOf(name: keyof typeof WORKLOADS, seed: number): Promise<(readonly Told[])[]> {
  const { lines } = await recordWorkload(WORKLOADS[name](seed))
  const workload = await recordedWorkload({
    async *open() {
      yield* lines
    },
  })
  const batches: (readonly Told[])[] = []
  for await (const batch of toldOf(workload)) batches.push(batch)
  return batches
}

describe('what one thread tells another', () => {
  it('arrives as it was told, whatever of it is put into numbers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('churn', 'rolling'), fc.nat(), async (name, seed) => {
        const [write, read] = [createToldWriter(), createToldReader()]
        for (const batch of await batchesOf(name, seed))
          expect(read(structuredClone(write(batch)))).toEqual(batch)
      }),
      { numRuns: 20 },
    )
  })

  it('is numbers for nearly all that Pods do in churn', async () => {
    const write = createToldWriter()
    const told = (await batchesOf('churn', 1)).flat()
    const changes = told.filter((one) => 'changes' in one).length
    const copied = write(told).others.filter((one) => 'changes' in one).length
    expect(changes).toBeGreaterThan(90)
    expect(copied / changes).toBeLessThan(0.25)
  })
})
