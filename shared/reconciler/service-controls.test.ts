import { describe, expect, it } from 'vitest'
import { ANNOTATION_MAXIMUM_REMOVAL, ANNOTATION_PACKING, ANNOTATION_PAUSED } from '../changes/index.ts'
import type { EndpointSlice, Service } from '../endpointslice/index.ts'
import { ENDPOINT_SLICES, EVENTS, PODS, SERVICES } from '../kubernetes/index.ts'
import { parseSettings } from '../settings/index.ts'
import { atRest, type MemoryCluster, startProcess, sync, webPod } from './memory-cluster.fixtures.ts'
import { hintFor } from './sync/sync-hinted-pods.fixtures.ts'

const SETTINGS = parseSettings({ mode: 'replace', maxEndpointsPerSlice: 2 })
const CAREFUL = parseSettings({ mode: 'replace', maxEndpointsPerSlice: 2, maximumRemoval: 0.5 })
const SINCE = '2026-03-01T12:00:00Z'

const slices = (cluster: MemoryCluster): EndpointSlice[] => cluster.all(ENDPOINT_SLICES)
const sizes = (cluster: MemoryCluster): number[] =>
  slices(cluster).map(({ endpoints = [] }) => endpoints.length)
const events = (cluster: MemoryCluster) => cluster.all(EVENTS).map(({ reason, message }) => [reason, message])

function annotate(cluster: MemoryCluster, annotations: Record<string, string>): void {
  for (const { metadata, ...service } of cluster.all(SERVICES))
    cluster.put(SERVICES, { ...service, metadata: { ...metadata, annotations } } as Service)
}
function removePods(cluster: MemoryCluster, ...numbers: number[]): void {
  for (const number of numbers) cluster.remove(PODS, `web-${number}`)
}

describe('a paused Service', () => {
  it('is not written, says so by one Event, and is right at once when the pause ends', async () => {
    const cluster = await atRest(3, SETTINGS)
    const before = slices(cluster)
    annotate(cluster, { [ANNOTATION_PAUSED]: SINCE })
    removePods(cluster, 1)
    for (const message of [{}, { audit: true } as const])
      expect(await sync(cluster, message, { settings: SETTINGS })).toMatchObject({
        ...{ created: 0, updated: 0, deleted: 0 },
        guarded: { acted: { paused: 1 } },
      })
    expect(slices(cluster)).toEqual(before)
    expect(events(cluster)).toEqual([
      [
        'Paused',
        `it is paused since ${SINCE}: nothing is written, and what is published stays, until \`kubectl annotate service --namespace shop web sliceflow.dev/paused-\``,
      ],
    ])
    annotate(cluster, {})
    await sync(cluster, {}, { settings: SETTINGS })
    expect(sizes(cluster).reduce((sum, size) => sum + size, 0)).toBe(2)
  })

  it('is not written after a hint either, which knew nothing of the pause', async () => {
    const cluster = await atRest(3, SETTINGS)
    const process = startProcess(cluster, { settings: SETTINGS })
    const hint = hintFor(cluster, 'web-1')
    cluster.put(PODS, webPod(1, false))
    await process.handle({ resourceVersion: '999999', hint })
    expect(process.outcomes[0]).toMatchObject({ updated: 1 })
    annotate(cluster, { [ANNOTATION_PAUSED]: 'true' })
    cluster.put(PODS, webPod(1))
    await process.handle({ hint: hintFor(cluster, 'web-1') })
    expect(process.outcomes[1]).toMatchObject({
      updated: 0,
      fullSyncReason: 'Service',
      guarded: { acted: { paused: 1 } },
    })
  })

  it('that is deleted takes its slices with it', async () => {
    const cluster = await atRest(3, SETTINGS)
    annotate(cluster, { [ANNOTATION_PAUSED]: 'true' })
    await sync(cluster, {}, { settings: SETTINGS })
    expect(slices(cluster)).not.toEqual([])
    cluster.remove(SERVICES, 'web')
    await sync(cluster, {}, { settings: SETTINGS })
    expect(slices(cluster)).toEqual([])
  })

  it('that would not be ours without the pause has no Event, unless slices of ours would go', async () => {
    const cluster = await atRest(1, SETTINGS)
    annotate(cluster, { [ANNOTATION_PAUSED]: 'true' })
    const custom = parseSettings({ mode: 'custom' })
    expect(await sync(cluster, {}, { settings: custom })).toMatchObject({ guarded: { acted: { paused: 1 } } })
    expect(slices(cluster)).toHaveLength(1)
    for (const { metadata } of slices(cluster)) cluster.remove(ENDPOINT_SLICES, metadata?.name ?? '')
    expect((await sync(cluster, {}, { settings: custom }))?.guarded).toBeUndefined()
  })
})

describe('a Service that says itself how much a plan may remove', () => {
  it.each([
    ['2', true],
    ['3', false],
    ['40%', true],
    ['50%', false],
  ])('has a plan that loses 3 of 6 ready endpoints with %s held: %s', async (value, isHeld) => {
    const cluster = await atRest(6, SETTINGS)
    annotate(cluster, { [ANNOTATION_MAXIMUM_REMOVAL]: value })
    removePods(cluster, 1, 2, 3)
    const outcome = await sync(cluster, {}, { settings: SETTINGS })
    expect(outcome?.guarded?.isBlocked).toBe(isHeld)
    if (isHeld)
      expect(events(cluster)[0]).toEqual([
        'PlanHeld',
        expect.stringContaining('than the annotation sliceflow.dev/maximum-removal allows'),
      ])
  })

  it('is held by the settings where nobody can tell what it says, and says so', async () => {
    const cluster = await atRest(6, CAREFUL)
    annotate(cluster, { [ANNOTATION_MAXIMUM_REMOVAL]: 'all' })
    removePods(cluster, 1, 2, 3, 4)
    expect((await sync(cluster, {}, { settings: CAREFUL }))?.guarded?.isBlocked).toBe(true)
    expect(
      events(cluster)
        .map(([reason]) => reason)
        .sort(),
    ).toEqual(['InvalidAnnotation', 'PlanHeld'])
  })

  it('is held after a hint, too', async () => {
    const cluster = await atRest(6, SETTINGS)
    annotate(cluster, { [ANNOTATION_MAXIMUM_REMOVAL]: '0' })
    await sync(cluster, {}, { settings: SETTINGS })
    cluster.put(PODS, webPod(1, false))
    expect(await sync(cluster, { hint: hintFor(cluster, 'web-1') }, { settings: SETTINGS })).toMatchObject({
      ...{ fullSyncReason: 'Settings', guarded: { acted: { held: 1 } } },
    })
  })
})

describe('a Service that says itself how its slices are packed', () => {
  it.each([
    ['compact', SETTINGS, [2, 1]],
    ['upstream', parseSettings({ mode: 'replace', maxEndpointsPerSlice: 2, packing: 'compact' }), [1, 1, 1]],
    ['tight', SETTINGS, [1, 1, 1]],
  ])('%s: is packed so, whatever the settings are', async (packing, settings, expected) => {
    const cluster = await atRest(6, SETTINGS)
    annotate(cluster, { [ANNOTATION_PACKING]: packing })
    removePods(cluster, 1, 3, 5)
    await sync(cluster, {}, { settings })
    expect(sizes(cluster).sort((a, b) => b - a)).toEqual(expected)
  })
})
