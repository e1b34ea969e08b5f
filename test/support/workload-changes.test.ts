import { describe, expect, it } from 'vitest'
import { createApiClient } from '../../shared/kubernetes/index.ts'
import { createRandom } from './random.ts'
import { CHANGE_KINDS, drawChange } from './workload-changes.ts'
import { createModel } from './workload-model.ts'
import { createFakePods, type FakePods } from './world/index.ts'

function drawMany(seed: number): string[] {
  const random = createRandom(seed)
  const options = { seed, services: 12, podsPerService: 5, mode: 'custom', besideInTree: true } as const
  const model = createModel(options, random)
  return Array.from({ length: 600 }, () => {
    const { kind, object } = drawChange({ model, random }, new Set())
    return `${kind} ${object}`
  })
}

describe('the changes of a workload', () => {
  it('are the same with the same seed, and others with another', () => {
    expect(drawMany(1)).toEqual(drawMany(1))
    expect(drawMany(2)).not.toEqual(drawMany(1))
  })

  it('end no pod with a grace that has failed: API servers give it none, and it could not end again', async () => {
    const random = createRandom(4)
    const options = {
      seed: 4,
      services: 10,
      podsPerService: 20,
      mode: 'custom',
      besideInTree: false,
    } as const
    const model = createModel(options, random)
    const without = new Set(CHANGE_KINDS.filter((kind) => kind !== 'pod-delete' && kind !== 'pod-failure'))
    const failed: string[] = []
    const ended: string[] = []
    const client = createApiClient({
      name: 'none',
      server: new URL('https://127.0.0.1:1'),
      credentials: async () => ({ headers: {} }),
    })
    const pods: FakePods = {
      ...createFakePods(client),
      setStatus: async ({ name }) => void failed.push(name),
      terminate: async ({ name }) => expect(failed).not.toContain(name),
      finish: async ({ name }) => void ended.push(name),
    }
    for (let index = 0; index < 190; index++)
      await drawChange({ model, random }, without).run({ pods, client })

    expect(failed.filter((name) => ended.includes(name))).not.toEqual([])
  })
})
