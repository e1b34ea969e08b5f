import { type EndpointSlice, LABEL_MANAGED_BY, LABEL_SERVICE_NAME } from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES } from '../../shared/kubernetes/index.ts'
import { makeSlice, snapshotSlices } from '../support/world/index.ts'
import { MANAGED_BY, type Place, placeOf, textOf } from './objects.ts'
import { type Occasion, type Operation, onObject } from './operation.ts'
import { selectorOf } from './selectors.ts'

/**
 * Maximum number of edits and deletions of a Service's slices. After five of a kind Sliceflow backs off, by
 * design.
 */
const EDITS = 3

/** Says whose slice it is: a Service's, or an EndpointSelector's of the same name. */
const ownerOf = (slice: EndpointSlice): string =>
  `${selectorOf(slice) ?? ''} ${textOf({ namespace: placeOf(slice).namespace, name: slice.metadata?.labels?.[LABEL_SERVICE_NAME] ?? '' })}`

const ours = ({ view, cluster }: Occasion): readonly EndpointSlice[] =>
  view.slices.filter(
    (slice) =>
      slice.metadata?.labels?.[LABEL_MANAGED_BY] === MANAGED_BY &&
      (cluster.edits.get(ownerOf(slice)) ?? 0) < EDITS,
  )

/** Makes an operation on one of Sliceflow's own slices. */
const sliceOperation = (
  name: string,
  weight: number,
  act: (slice: EndpointSlice, occasion: Occasion) => Promise<unknown>,
  isTarget: (slice: EndpointSlice) => boolean = () => true,
): Operation =>
  onObject(
    name,
    weight,
    (occasion) => ours(occasion).filter(isTarget),
    async (_, occasion, slice) => {
      const { edits } = occasion.cluster
      edits.set(ownerOf(slice), (edits.get(ownerOf(slice)) ?? 0) + 1)
      await act(slice, occasion)
    },
  )

const patchSlice = (slice: EndpointSlice, patch: object, { cluster }: Occasion): Promise<unknown> =>
  cluster.client.patch(ENDPOINT_SLICES, placeOf(slice), patch)

/** Notes the slices of other owners, so that a later change of one is found. */
async function noteForeign({ cluster }: Occasion, ...changed: readonly EndpointSlice[]): Promise<void> {
  cluster.foreign = new Map([...cluster.foreign, ...snapshotSlices(changed)])
}

const services = ({ view }: Occasion): Occasion['view']['services'] => view.services

const addSlice = (
  { namespace, name: service }: Place,
  { cluster, number }: Occasion,
  managedBy: string | null,
): Promise<EndpointSlice> => {
  const slice = makeSlice({
    ...{ namespace, name: `${service}-${number}`, service, managedBy },
    endpoints: [{ addresses: ['10.99.0.1'] }],
    ports: [{ name: 'http', port: 1234 }],
  })
  return cluster.client.create(ENDPOINT_SLICES, slice)
}

/** Operations on slices of Sliceflow, and of others. */
export const SLICE_OPERATIONS: readonly Operation[] = [
  sliceOperation('slice-edit-endpoints', 2, (slice, occasion) =>
    patchSlice(
      slice,
      { endpoints: [{ addresses: [slice.addressType === 'IPv6' ? 'fd00:9::9' : '10.9.9.9'] }] },
      occasion,
    ),
  ),
  sliceOperation(
    'slice-drop-endpoint',
    2,
    (slice, occasion) => patchSlice(slice, { endpoints: (slice.endpoints ?? []).slice(1) }, occasion),
    // A slice that another writer has emptied stays beside others with room, as with the in-tree controller.
    ({ endpoints }) => (endpoints ?? []).length > 1,
  ),
  sliceOperation('slice-edit-conditions', 2, (slice, occasion) =>
    patchSlice(
      slice,
      {
        endpoints: (slice.endpoints ?? []).map((endpoint) => ({
          ...endpoint,
          conditions: { ...endpoint.conditions, ready: endpoint.conditions?.ready === false },
          zone: 'zone-x',
        })),
      },
      occasion,
    ),
  ),
  sliceOperation('slice-edit-labels', 1, (slice, occasion) =>
    patchSlice(slice, { metadata: { labels: { revision: 'foreign', mine: 'yes' } } }, occasion),
  ),
  sliceOperation('slice-delete', 2, (slice, { cluster }) =>
    cluster.client.delete(ENDPOINT_SLICES, placeOf(slice)),
  ),
  sliceOperation('slice-disown', 1, async (slice, occasion) => {
    const labels = { [LABEL_MANAGED_BY]: 'somebody-else' }
    const disowned = await occasion.cluster.client.patch(ENDPOINT_SLICES, placeOf(slice), {
      metadata: { labels },
    })
    await noteForeign(occasion, disowned)
  }),
  onObject('slice-of-others', 1, services, async (place, occasion) => {
    const managedBy = occasion.random.pick(['somebody-else', null]) ?? null
    await noteForeign(occasion, await addSlice(place, occasion, managedBy))
  }),
  onObject('slice-by-hand', 1, services, (place, occasion) => addSlice(place, occasion, MANAGED_BY)),
]
