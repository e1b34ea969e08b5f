import { ENDPOINT_SELECTOR_OWNER, type EndpointSlice, ownerOfSlice } from '../../endpointslice/index.ts'
import { labelName, subdomainName } from '../../kubernetes/index.ts'

/** Kinds of owners beside Service, which keys of a Service do not name. */
export type OtherOwnerKind = 'EndpointSelector'

/** Kind of KEP-6116's resource. */
export const ENDPOINT_SELECTOR: OtherOwnerKind = 'EndpointSelector'

/** One owner of slices of one cluster, a Service unless it has a kind: "reconcile this one". */
export interface ServiceKey {
  /** The cluster's name: the kubeconfig context, or the name it has in the deployment. */
  readonly cluster: string
  readonly namespace: string
  /** Name of the Service or other owner. */
  readonly service: string
  readonly ownerKind?: OtherOwnerKind
}

/** A key without its cluster. */
export type OwnerName = Omit<ServiceKey, 'cluster'>

/**
 * `namespace/name` of a Service and `namespace/name/KIND` of another owner. No name has a slash, nor a
 * capital letter as each kind has, so that no two owners have one text.
 */
export type OwnerText = string & { readonly __brand: 'OwnerText' }

export const ownerText = ({ namespace, service, ownerKind }: OwnerName): OwnerText =>
  (ownerKind === undefined ? `${namespace}/${service}` : `${namespace}/${service}/${ownerKind}`) as OwnerText

/** Returns the owner that a slice's labels name; undefined where they name none that can be. */
export function ownerOf(slice: Pick<EndpointSlice, 'metadata'>): OwnerName | undefined {
  const owner = ownerOfSlice(slice)
  if (owner === undefined) return undefined
  const [ownerKind, rule] =
    owner === ENDPOINT_SELECTOR_OWNER ? ([ENDPOINT_SELECTOR, subdomainName] as const) : [undefined, labelName]
  const service = owner.nameOf(slice)
  if (rule(service).length > 0) return undefined
  return { namespace: slice.metadata?.namespace ?? '', service, ownerKind }
}

/** Returns a key's fields of a line of the log, whatever else its object says. */
export const keyFields = ({ cluster, namespace, service, ownerKind }: ServiceKey): ServiceKey => ({
  cluster,
  namespace,
  service,
  ownerKind,
})

export function parseOwnerText(text: string): OwnerName {
  const [namespace = '', service = '', kind] = text.split('/')
  return { namespace, service, ownerKind: kind as OtherOwnerKind | undefined }
}

/** `cluster/OWNER`, by {@link ownerText}; a cluster's name may hold slashes. */
export type KeyText = string & { readonly __brand: 'KeyText' }

export const keyText = (key: ServiceKey): KeyText => `${key.cluster}/${ownerText(key)}` as KeyText

export function parseKeyText(text: KeyText): ServiceKey {
  const parts = text.split('/')
  const owner = parts.splice(/^[A-Z]/.test(parts.at(-1) ?? '') ? -3 : -2)
  return { cluster: parts.join('/'), ...parseOwnerText(owner.join('/')) }
}
