import { isSealedForDeletion, seal, sealForDeletion } from '../../shared/changes/index.ts'
import type { EndpointSlice, SliceClient } from '../../shared/endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES } from '../../shared/kubernetes/index.ts'

/** Writes slices as they are: for Services that are gone or not ours, whose slices nobody looks at again. */
export function createSliceClient(client: ApiClient, signal: AbortSignal): SliceClient {
  return {
    create: (slice) => client.create(ENDPOINT_SLICES, slice, { signal }),
    update: (slice) => client.update(ENDPOINT_SLICES, slice, { signal }),
    delete: ({ metadata: { namespace, name = '', uid, resourceVersion } = {} }) =>
      client.delete(
        ENDPOINT_SLICES,
        { namespace, name },
        { preconditions: { uid, resourceVersion }, signal },
      ),
  }
}

/** The same with a seal on everything written, by which the relay knows our own writes. */
export function createSealedSliceClient(client: ApiClient, signal: AbortSignal): SliceClient {
  const slices = createSliceClient(client, signal)
  return {
    create: (slice) => slices.create(seal(slice)),
    update: (slice) => slices.update(seal(slice)),
    delete: async (slice: EndpointSlice) =>
      slices.delete(isSealedForDeletion(slice) ? slice : await slices.update(sealForDeletion(slice))),
  }
}
