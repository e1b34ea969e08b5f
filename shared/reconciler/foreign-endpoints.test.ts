import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../endpointslice/index.ts'
import { ENDPOINT_SLICES, PODS } from '../kubernetes/index.ts'
import { parseSettings } from '../settings/index.ts'
import { atRest, type MemoryCluster, sync, webPod } from './memory-cluster.fixtures.ts'

const SETTINGS = parseSettings({ mode: 'replace', maximumRemoval: 0.5, heldPlanExpiry: 0 })
const OURS = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4']

const endpoints = (cluster: MemoryCluster): Endpoint[] =>
  cluster.all(ENDPOINT_SLICES).flatMap((slice) => [...(slice.endpoints ?? [])])
const ready = (cluster: MemoryCluster): string[] =>
  endpoints(cluster)
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses }) => addresses)
    .sort()

/** Adds six ready endpoints to the four that we published. */
function addBogus(cluster: MemoryCluster): void {
  for (const slice of cluster.all(ENDPOINT_SLICES)) {
    const bogus = Array.from({ length: 6 }, (_, index) => ({ addresses: [`10.9.9.${index}`] }))
    cluster.put(ENDPOINT_SLICES, { ...slice, endpoints: [...(slice.endpoints ?? []), ...bogus] })
  }
}

describe('with maximumRemoval, ready endpoints that somebody else wrote into our slice', () => {
  it('are taken out at once, more though they be than the share', async () => {
    const cluster = await atRest(4, SETTINGS)
    addBogus(cluster)

    const outcome = await sync(cluster, {}, { settings: SETTINGS })

    expect(outcome).toMatchObject({ updated: 1, guarded: { isBlocked: false } })
    expect(ready(cluster)).toEqual(OURS)
  })

  it('are taken out also while the loss of our own is held', async () => {
    const cluster = await atRest(4, SETTINGS)
    addBogus(cluster)
    for (const number of [1, 2, 3, 4]) cluster.put(PODS, webPod(number, false))

    const outcome = await sync(cluster, {}, { settings: SETTINGS })

    expect(outcome).toMatchObject({ guarded: { acted: { held: 1 } } })
    expect(ready(cluster)).toEqual(OURS)
  })

  it('do not end a hold', async () => {
    const cluster = await atRest(4, SETTINGS)
    for (const { metadata } of cluster.all(PODS)) cluster.remove(PODS, metadata?.name ?? '')
    await sync(cluster, {}, { settings: SETTINGS })
    addBogus(cluster)

    const outcome = await sync(cluster, {}, { settings: SETTINGS })

    expect(outcome).toMatchObject({ guarded: { acted: { held: 1 } } })
    expect(ready(cluster)).toEqual(OURS)
  })
})
