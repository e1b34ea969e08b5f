import {
  type ApiClient,
  ApiError,
  type ApiObject,
  NAMESPACES,
  NotFoundError,
  type Resource,
} from '../../kubernetes/index.ts'
import { readOnlyClient } from './read-only-client.ts'

/** A write that a reconcile wanted, and that was not sent. */
export interface RecordedWrite {
  readonly verb: 'create' | 'update' | 'delete'
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** Subresource such as `status`. */
  readonly subresource?: string
  /** Object that would be there; absent for a deletion. */
  readonly object?: ApiObject
  /** Refusal that the API server would give, as far as reading shows it. */
  readonly refusal?: ApiError
}

/**
 * Returns the same client without its writes: they are noted and answered as the API server would, so that a
 * reconcile goes on to its end. Nothing is sent but reads. A created object has a uid of zeros and no
 * version, and lacks what else the API server would have given it, such as an IP address.
 * @param record called with each write
 */
export function recordingClient(client: ApiClient, record: (write: RecordedWrite) => void): ApiClient {
  const namespaces = new Map<string, Promise<ApiError | undefined>>()

  function refusalIn(namespace: string, signal: AbortSignal | undefined): Promise<ApiError | undefined> {
    const known = namespaces.get(namespace) ?? namespaceRefusal(client, namespace, signal)
    namespaces.set(namespace, known)
    return known
  }

  return {
    ...readOnlyClient(client),
    async create<T extends ApiObject>(resource: Resource<T>, object: T, options?: { signal?: AbortSignal }) {
      const write = { verb: 'create', ...namesOf(resource, object.metadata), object } as const
      const refusal = resource.namespaced ? await refusalIn(write.namespace, options?.signal) : undefined
      record({ ...write, ...(refusal && { refusal }) })
      if (refusal !== undefined) throw refusal
      return { ...object, metadata: { uid: NO_UID, ...object.metadata } }
    },
    async update(resource, object, { subresource } = {}) {
      record({
        verb: 'update',
        ...namesOf(resource, object.metadata),
        ...(subresource !== undefined && { subresource }),
        object,
      })
      return object
    },
    async delete(resource, ref) {
      record({ verb: 'delete', ...namesOf(resource, ref) })
    },
  }
}

/** Planning refuses objects that have none. */
const NO_UID = '00000000-0000-0000-0000-000000000000'

const namesOf = (
  { kind }: Pick<Resource, 'kind'>,
  { namespace = '', name = '' }: { readonly namespace?: string; readonly name?: string } = {},
): Pick<RecordedWrite, 'kind' | 'namespace' | 'name'> => ({ kind, namespace, name })

/** Lists, as that is what the roles allow. */
async function namespaceRefusal(
  client: ApiClient,
  name: string,
  signal: AbortSignal | undefined,
): Promise<ApiError | undefined> {
  const fieldSelector = `metadata.name=${name}`
  const { items } = await client.list(NAMESPACES, { fieldSelector, ...(signal && { signal }) })
  const found = items.find(({ metadata }) => metadata?.name === name)
  if (found === undefined)
    return new NotFoundError(`namespace ${name} of cluster ${client.cluster} is not there`, 404, {
      reason: 'NotFound',
      details: { kind: 'namespaces', name },
    })
  if (found.metadata?.deletionTimestamp === undefined) return undefined
  return new ApiError(`namespace ${name} of cluster ${client.cluster} is being deleted`, 403, {
    reason: 'Forbidden',
    details: { causes: [{ reason: 'NamespaceTerminating' }] },
  })
}
