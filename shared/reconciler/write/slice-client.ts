import { isSealedForDeletion, sealedBy, sealForDeletion } from '../../changes/index.ts'
import type { EndpointSlice, SliceClient } from '../../endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES } from '../../kubernetes/index.ts'
import { sealNotes } from '../guards/published/slice-notes.ts'

/**
 * Writes slices as they are, with a seal on notes of the guards: for Services that are gone or not ours,
 * whose slices are not synced again. What was sent need not come back: the answer is asked for the metadata
 * alone.
 */
export function createSliceClient(client: ApiClient, signal: AbortSignal): SliceClient {
  const options = { metadataOnly: true, signal }
  return {
    create: async (slice) => written(slice, await client.create(ENDPOINT_SLICES, sealNotes(slice), options)),
    update: async (slice) => {
      const sent = withoutManagedFields(sealNotes(slice))
      return written(slice, await client.update(ENDPOINT_SLICES, sent, options))
    },
    delete: ({ metadata: { namespace, name = '', uid, resourceVersion } = {} }) =>
      client.delete(
        ENDPOINT_SLICES,
        { namespace, name },
        { preconditions: { uid, resourceVersion }, signal },
      ),
  }
}

const written = (slice: EndpointSlice, { metadata }: Pick<EndpointSlice, 'metadata'>): EndpointSlice =>
  withoutManagedFields({ ...slice, metadata })

/**
 * Leaves the managed fields out, which are a tenth of the whole. The API server keeps them if an update names
 * none.
 */
function withoutManagedFields(slice: EndpointSlice): EndpointSlice {
  const { managedFields: _, ...metadata } = slice.metadata ?? {}
  return { ...slice, metadata }
}

/**
 * Writes by another client with a seal on everything written, by which the relay knows our own writes.
 * @param writer our name, by the settings that decide what we write
 */
export function createSealedSliceClient(slices: SliceClient, writer: string): SliceClient {
  const seal = sealedBy(writer)
  return {
    create: (slice) => slices.create(seal(slice)),
    update: (slice) => slices.update(seal(slice)),
    delete: async (slice: EndpointSlice) =>
      slices.delete(isSealedForDeletion(slice) ? slice : await slices.update(sealForDeletion(slice))),
  }
}
