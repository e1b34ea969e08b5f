import { describe, expect, it } from 'vitest'
import {
  type ApiClient,
  ConflictError,
  ForbiddenError,
  NotFoundError,
} from '../../../shared/kubernetes/index.ts'
import type { FoundSlice } from './find-slices.ts'
import { OffboardError, removeSlices } from './remove-slices.ts'

const found = (count: number): FoundSlice[] =>
  Array.from({ length: count }, (_, index) => ({
    namespace: 'shop',
    name: `web-${index}`,
    kind: 'Service',
    service: 'web',
    uid: `uid-${index}`,
    resourceVersion: String(index),
  }))

/** Makes a cluster that gives these answers to deletes, in order; the last answer repeats. */
function clusterOf(...answers: (Error | undefined)[]) {
  const asked: unknown[] = []
  let running = 0
  let peak = 0
  const client: Partial<ApiClient> = {
    cluster: 'edge',
    async delete(_resource, ref, options) {
      asked.push([ref, options])
      peak = Math.max(peak, ++running)
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      await new Promise(setImmediate)
      running--
      if (answer !== undefined) throw answer
    },
  }
  return { client: client as ApiClient, asked, peak: () => peak }
}

const forbidden = new ForbiddenError('not allowed', 403, {})

describe('slices that are removed', () => {
  it('are deleted only as they were found', async () => {
    const { client, asked } = clusterOf(undefined)
    expect(await removeSlices(client, found(1))).toEqual({ removed: 1, changed: 0 })
    expect(asked).toEqual([
      [{ namespace: 'shop', name: 'web-0' }, { preconditions: { uid: 'uid-0', resourceVersion: '0' } }],
    ])
  })

  it('count as removed where they are gone, and as changed where somebody has written them', async () => {
    const gone = new NotFoundError('gone', 404, { reason: 'NotFound', details: { name: 'web-0' } })
    const { client } = clusterOf(gone, new ConflictError('changed', 409, {}), undefined)
    const reported: number[] = []
    const removed = await removeSlices(client, found(3), (done) => reported.push(done))
    expect(removed).toEqual({ removed: 2, changed: 1 })
    expect(reported).toEqual([1, 2, 3])
  })

  it('are not taken for removed where a proxy answers that there is nothing', async () => {
    const { client } = clusterOf(new NotFoundError('404 page not found', 404, {}))
    await expect(removeSlices(client, found(1))).rejects.toThrow('404 page not found')
  })

  it('are each tried, be some refused, and the refusals reported', async () => {
    const { client, asked } = clusterOf(forbidden, undefined, forbidden, undefined)
    const reported: number[] = []
    const removing = removeSlices(client, found(4), (done) => reported.push(done))
    await expect(removing).rejects.toBeInstanceOf(OffboardError)
    await expect(removing).rejects.toMatchObject({
      errors: [forbidden, forbidden],
      message: 'failed to delete 2 of 4 objects of cluster edge, the others are gone: not allowed',
    })
    expect([asked.length, reported]).toEqual([4, [1, 2, 3, 4]])
  })

  it('are deleted eight at once', async () => {
    const { client, asked, peak } = clusterOf(undefined)
    expect(await removeSlices(client, found(50))).toEqual({ removed: 50, changed: 0 })
    expect([asked.length, peak()]).toEqual([50, 8])
  })

  it('are none where there are none', async () => {
    const { client } = clusterOf(forbidden)
    expect(await removeSlices(client, [])).toEqual({ removed: 0, changed: 0 })
  })
})
