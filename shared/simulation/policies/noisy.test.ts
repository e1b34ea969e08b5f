import { describe, expect, it } from 'vitest'
import { simulate } from '../engine/index.ts'
import { churnWorkload } from '../workloads/index.ts'

const size = { services: 1, endpoints: 600, nodes: 10 }
const noisy = churnWorkload(size, { seed: 1, duration: 600, meanChange: 3600, noisyShare: 0.02 })

describe('grouping noisy endpoints', () => {
  it('sends less than in-tree if few are noisy, with at most a quarter more slices', async () => {
    const [grouped, inTree] = await Promise.all(
      (['noisy', 'in-tree'] as const).map((policy) =>
        simulate({ workload: noisy, policy, settings: { coalescingWindow: 0 } }),
      ),
    )
    expect(grouped?.run.bytesSent).toBeLessThan((inTree?.run.bytesSent ?? 0) * 0.75)
    expect(grouped?.run.objectsToLeast.most).toBeLessThanOrEqual(1.25)
    expect(grouped?.run.changes).toBe(inTree?.run.changes)
  })

  it('publishes each Pod once', async () => {
    let last: readonly string[] = []
    await simulate({
      workload: noisy,
      policy: 'noisy',
      observer: {
        onSlices: (_, slices) => {
          last = slices().flatMap(({ endpoints }) =>
            (endpoints ?? []).map(({ targetRef }) => targetRef?.name ?? ''),
          )
        },
      },
    })
    expect(last.toSorted()).toEqual(noisy.pods.map(({ metadata }) => metadata?.name).toSorted())
  })
})
