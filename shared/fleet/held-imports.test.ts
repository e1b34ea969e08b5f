import { expect, it } from 'vitest'
import {
  ANNOTATION_MAXIMUM_REMOVAL,
  ANNOTATION_PACKING,
  ANNOTATION_PAUSED,
  ANNOTATION_RELEASE,
  hasSeal,
  isSealed,
} from '../changes/index.ts'
import type { EndpointSlice } from '../endpointslice/index.ts'
import { type ApiObject, ENDPOINT_SLICES, EVENTS, SERVICES } from '../kubernetes/index.ts'
import { ANNOTATION_HELD_SINCE } from '../reconciler/index.ts'
import type { MemoryCluster } from '../reconciler/memory-cluster.fixtures.ts'
import type { Log } from '../telemetry/index.ts'
import { addressesIn, DERIVED, IMPORTS, openFleet, sourceSlice } from './reconcile-fleet.fixtures.ts'

interface CoreEvent extends ApiObject {
  readonly reason?: string
  readonly message?: string
  readonly involvedObject?: { readonly kind?: string; readonly name?: string }
}

interface Line {
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

/** Returns a log that keeps its lines. */
function keepingLog(): { lines: Line[]; logger: Log } {
  const lines: Line[] = []
  const keep = (fields: object, message: string): void => void lines.push({ fields: { ...fields }, message })
  return { lines, logger: { debug: keep, info: keep, warn: keep, error: keep } }
}

const eventsIn = (cluster: MemoryCluster): unknown[] =>
  cluster
    .all<CoreEvent>(EVENTS)
    .map(({ reason, involvedObject }) => [reason, involvedObject?.kind, involvedObject?.name])

/** Has somebody label the imported slices of a cluster. */
function labelSlices(cluster: MemoryCluster): void {
  for (const slice of cluster.all<EndpointSlice>(ENDPOINT_SLICES).filter(hasSeal)) {
    const labels = { ...slice.metadata?.labels, by: 'hand' }
    cluster.put(ENDPOINT_SLICES, { ...slice, metadata: { ...slice.metadata, labels } })
  }
}

const HELD = ['PlanHeld', 'ServiceImport', 'web']

it('a held plan of an import is reported by one Event in each cluster and in the log, and released there alone', async () => {
  const { lines, logger } = keepingLog()
  const { clusters, handle } = openFleet(
    {},
    {},
    { settings: { maximumRemoval: 0.2, maximumRemovalCount: 0 }, logger },
  )
  await handle()
  const before = addressesIn(clusters.us)
  clusters.eu.put(ENDPOINT_SLICES, sourceSlice())
  labelSlices(clusters.us)
  await handle()
  await handle()
  const edited = clusters.us.all<EndpointSlice>(ENDPOINT_SLICES).filter(hasSeal)
  expect(edited.map((slice) => isSealed(slice))).not.toContain(true)
  expect(clusters.us.all<CoreEvent>(EVENTS)[0]?.message).toContain('until `sliceflow release --fleet`')
  for (const [name, cluster] of Object.entries(clusters)) {
    expect(addressesIn(cluster)).toEqual(before)
    expect(eventsIn(cluster)).toEqual([HELD])
    const [line] = lines.filter(
      ({ fields, message }) => message === 'holding a plan' && fields.cluster === name,
    )
    expect(line?.fields).toMatchObject({
      namespace: 'shop',
      service: 'web',
      clusterSet: 'default',
      since: expect.any(String),
    })
  }

  const since = clusters.us
    .all(ENDPOINT_SLICES)
    .flatMap(({ metadata }) => metadata?.annotations?.[ANNOTATION_HELD_SINCE] ?? [])[0]
  const [imported] = clusters.us.all(IMPORTS)
  const annotations = { ...imported?.metadata?.annotations, [ANNOTATION_RELEASE]: since ?? '' }
  clusters.us.put(IMPORTS, { ...imported, metadata: { ...imported?.metadata, annotations } })
  await handle()
  expect(addressesIn(clusters.us)).toEqual(['10.2.0.1'])
  expect(eventsIn(clusters.us)).toEqual([HELD, ['PlanReleased', 'ServiceImport', 'web']])
  expect(addressesIn(clusters.eu)).toEqual(before)
})

it('an import says itself how much a plan may remove, and reports what does not count', async () => {
  const { clusters, handle } = openFleet()
  await handle()
  const [imported] = clusters.us.all(IMPORTS)
  const annotate = (own: Record<string, string>): void => {
    const annotations = { ...imported?.metadata?.annotations, ...own }
    clusters.us.put(IMPORTS, { ...imported, metadata: { ...imported?.metadata, annotations } })
  }
  annotate({ [ANNOTATION_MAXIMUM_REMOVAL]: '0', [ANNOTATION_PACKING]: 'tight' })
  const before = addressesIn(clusters.us)
  clusters.eu.put(ENDPOINT_SLICES, sourceSlice())
  await handle()
  expect(addressesIn(clusters.us)).toEqual(before)
  expect(addressesIn(clusters.eu)).not.toEqual(before)
  expect(eventsIn(clusters.us)).toHaveLength(2)
  expect(eventsIn(clusters.us)).toEqual(
    expect.arrayContaining([HELD, ['InvalidAnnotation', 'ServiceImport', 'web']]),
  )
})

it('imports follow the slices of an exported Service that is paused, and are not paused by a derived one', async () => {
  const { clusters, handle } = openFleet()
  await handle()
  for (const name of ['web', DERIVED])
    for (const cluster of [clusters.eu, clusters.us])
      for (const service of cluster.all(SERVICES).filter(({ metadata }) => metadata?.name === name)) {
        const annotations = { ...service.metadata?.annotations, [ANNOTATION_PAUSED]: 'true' }
        cluster.put(SERVICES, { ...service, metadata: { ...service.metadata, annotations } })
      }
  clusters.eu.put(ENDPOINT_SLICES, sourceSlice('10.1.0.7'))
  await handle()
  expect(addressesIn(clusters.us)).toContain('10.1.0.7')
  const pausedIn = clusters.us
    .all(SERVICES)
    .filter(({ metadata }) => metadata?.annotations?.[ANNOTATION_PAUSED] !== undefined)
  expect(pausedIn.map(({ metadata }) => metadata?.name)).toEqual(['web'])
})
