import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type {
  V1EndpointSlice,
  V1Node,
  V1Pod,
  V1Service,
} from '@kubernetes/client-node/dist/gen/models/all.js'
import { ObjectSerializer } from '@kubernetes/client-node/dist/gen/models/ObjectSerializer.js'
import { describe, expect, it } from 'vitest'
import {
  apply,
  type PlanOptions,
  type PlanState,
  plan,
  type SliceClient,
  TriggerTimeTracker,
} from './index.ts'
import { aNode, aPod, applied, aService, deepFreeze } from './plan.fixtures.ts'
import type { TestCase } from './test/differential/test-case.ts'
import type { EndpointSlice } from './types.ts'

interface ClientNodeState {
  readonly service: V1Service
  readonly pods: V1Pod[]
  readonly nodes: V1Node[]
  readonly slices: V1EndpointSlice[]
}

/** Makes of JSON what client-node answers: instances of its classes, with Dates. */
const answered = (state: PlanState): ClientNodeState => ({
  service: ObjectSerializer.deserialize(state.service, 'V1Service', ''),
  pods: ObjectSerializer.deserialize(state.pods, 'Array<V1Pod>', ''),
  nodes: ObjectSerializer.deserialize(state.nodes, 'Array<V1Node>', ''),
  slices: ObjectSerializer.deserialize(state.slices, 'Array<V1EndpointSlice>', ''),
})

/** Makes what client-node sends. @throws TypeError for a timestamp that is no Date */
const sent = (slice: V1EndpointSlice): unknown =>
  inJson(ObjectSerializer.serialize(slice, 'V1EndpointSlice', ''))
/** A Date has milliseconds, which Kubernetes' times do not. */
const inJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll('.000Z"', 'Z"'))

const cases = gunzipSync(readFileSync(new URL('testdata/cases.ndjson.gz', import.meta.url)))
  .toString()
  .trim()
  .split('\n')
  .filter((_, index) => index % 3 === 0)
  .map((line) => JSON.parse(line) as TestCase)

const CREATED = '2026-03-01T12:00:00Z'
const LATER = '2026-03-01T12:30:00Z'

/** A state whose plan creates, updates and deletes nothing, but for what a test takes or adds. */
function settled(): PlanState {
  const pods = ['a', 'b', 'c'].map((name) => aPod(name))
  const nodes = [aNode('node-a', 'zone-a')]
  const planned = plan({ service: aService(), pods, nodes, slices: [] })
  const slices = applied([], planned).map((slice) => ({
    ...slice,
    metadata: {
      ...slice.metadata,
      creationTimestamp: CREATED,
      managedFields: [{ manager: 'm', operation: 'Update', time: CREATED }],
    },
  }))
  return { service: aService(), pods, nodes, slices }
}

describe('a plan for what client-node answers', () => {
  it.each(cases)('is in $id that for the same in JSON', (state) => {
    const { maxEndpointsPerSlice, triggerTime, controllerName: managedBy } = state
    const options: PlanOptions = { maxEndpointsPerSlice, triggerTime, managedBy }
    const planned = plan(deepFreeze(answered(state)), options)
    const expected = plan(state, options)
    expect(inJson(planned)).toEqual(inJson(expected))
    for (const verb of ['create', 'update', 'delete'] as const)
      expect(planned[verb].map(sent)).toEqual(expected[verb].map(inJson))
  })

  it('has the Dates of the slices that it updates, which are not those that were read', () => {
    const state = settled()
    const { slices, ...rest } = answered({ ...state, pods: state.pods.slice(1) })
    const [updated, ...others] = plan({ ...rest, slices }).update
    expect(others).toEqual([])
    expect(updated?.metadata?.creationTimestamp).toEqual(new Date(CREATED))
    expect(updated?.metadata?.creationTimestamp).not.toBe(slices[0]?.metadata?.creationTimestamp)
    expect(updated?.metadata?.managedFields?.[0]?.time).toEqual(new Date(CREATED))
  })

  it('sees by a Date that a Pod, a Service or a slice is being deleted', () => {
    const state = answered(settled())
    const [pod, ...pods] = state.pods
    const going = { ...pod, metadata: { ...pod?.metadata, deletionTimestamp: new Date(LATER) } }
    const conditions = plan({ ...state, pods: [going, ...pods] })
      .update.flatMap(({ endpoints }) => endpoints ?? [])
      .map((endpoint) => endpoint.conditions?.terminating)
    expect(conditions.filter(Boolean)).toHaveLength(1)
    const slices = state.slices.map((slice) => ({
      ...slice,
      metadata: { ...slice.metadata, deletionTimestamp: new Date(LATER) },
    }))
    expect(plan({ ...state, slices }).create).toHaveLength(1)
    const service = {
      ...state.service,
      metadata: { ...state.service.metadata, deletionTimestamp: new Date(LATER) },
    }
    expect(plan({ ...state, service, slices: [] }).create).toEqual(
      plan({ ...settled(), service: aService({}, { deletionTimestamp: LATER }), slices: [] }).create,
    )
  })

  it('is applied with its client, and writes nothing the second time', async () => {
    const state = answered({ ...settled(), slices: [] })
    const client: SliceClient<V1EndpointSlice> = {
      create: async (slice) => ObjectSerializer.deserialize(sent(slice), 'V1EndpointSlice', ''),
      update: async (slice) => slice,
      delete: async () => undefined,
    }
    const slices: V1EndpointSlice[] = []
    const { created } = await apply(client, plan({ ...state, slices }))
    expect(created).toHaveLength(1)
    const [stored] = applied([], { create: created.map(sent) as EndpointSlice[], update: [], delete: [] })
    const { slices: read } = answered({ ...settled(), slices: stored === undefined ? [] : [stored] })
    const again = plan({ ...state, slices: read })
    expect([again.create, again.update, again.delete]).toEqual([[], [], []])
  })

  it('has the trigger time of Dates', () => {
    const tracker = new TriggerTimeTracker()
    const creationTimestamp = new Date(CREATED)
    const service = { metadata: { namespace: 'shop', name: 'web', creationTimestamp } }
    expect(tracker.next(service, [])).toBe('2026-03-01T12:00:00.000Z')
    const ready = { type: 'Ready', status: 'True', lastTransitionTime: new Date(LATER) }
    const pod = { metadata: { name: 'a' }, status: { conditions: [ready] } }
    expect(tracker.next(service, [pod])).toBe('2026-03-01T12:30:00.000Z')
  })
})
