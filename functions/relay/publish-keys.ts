import type { ServiceKey } from '../../shared/changes/index.ts'
import { LABEL_SERVICE_NAME } from '../../shared/endpointslice/index.ts'
import { type ApiObject, labelName } from '../../shared/kubernetes/index.ts'

/** Which keys the objects of one kind of a cluster belong to; it keeps their names and no more of them. */
export interface DiscoverKeys {
  /**
   * The object is there, or has changed: its Service's key, and that of the Service it belonged to before.
   */
  put(object: ApiObject): ServiceKey[]
  remove(object: ApiObject): ServiceKey[]
  /** A whole list begins. */
  listing(): void
  /** It is complete: the keys of objects that it did not name any more. */
  listed(): ServiceKey[]
}

/** @param serviceOf the name of the Service that an object belongs to, if it does */
export function createDiscoverKeys(
  cluster: string,
  serviceOf: (object: ApiObject) => string | undefined,
): DiscoverKeys {
  /** Service names by `namespace/name` of the object. */
  const services = new Map<string, string>()
  let unlisted = new Set<string>()

  const keyOf = (id: string, service: string | undefined): ServiceKey[] =>
    service === undefined ? [] : [{ cluster, namespace: id.slice(0, id.indexOf('/')), service }]
  const idOf = ({ metadata }: ApiObject): string => `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`

  function forget(id: string): ServiceKey[] {
    const service = services.get(id)
    services.delete(id)
    return keyOf(id, service)
  }

  return {
    put(object) {
      const id = idOf(object)
      unlisted.delete(id)
      const service = serviceOf(object)
      const before = services.get(id)
      const left = before === service ? [] : forget(id)
      if (service !== undefined) services.set(id, service)
      return [...left, ...keyOf(id, service)]
    },
    remove(object) {
      const known = forget(idOf(object))
      return known.length > 0 ? known : keyOf(idOf(object), serviceOf(object))
    },
    listing() {
      unlisted = new Set(services.keys())
    },
    listed() {
      const gone = [...unlisted].flatMap(forget)
      unlisted = new Set()
      return gone
    },
  }
}

export const serviceOfService = ({ metadata }: ApiObject): string | undefined => nameOf(metadata?.name)

export const serviceOfSlice = ({ metadata }: ApiObject): string | undefined =>
  nameOf(
    (metadata as { labels?: Readonly<Record<string, unknown>> | null } | undefined)?.labels?.[
      LABEL_SERVICE_NAME
    ],
  )

/** A label may hold what can be no Service's name. */
const nameOf = (value: unknown): string | undefined =>
  typeof value === 'string' && labelName(value).length === 0 ? value : undefined
