import {
  ENDPOINT_SELECTOR_OWNER,
  type EndpointSlice,
  ownerOfSlice,
  SERVICE_OWNER,
} from '../../endpointslice/index.ts'
import { labelName, type NameRule, subdomainName } from '../../kubernetes/index.ts'

/** Kind of KEP-6116's resource. */
export const ENDPOINT_SELECTOR: string = ENDPOINT_SELECTOR_OWNER.kind

/** One owner of slices of one cluster, a Service unless it has a kind: "reconcile this one". */
export interface ServiceKey {
  /** The cluster's name: the kubeconfig context, or the name it has in the deployment. */
  readonly cluster: string
  readonly namespace: string
  /** Name of the Service or other owner. */
  readonly service: string
  /** Kind of an owner that is no Service: one of OTHER_OWNERS. */
  readonly ownerKind?: string
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
  const ownerKind = owner === SERVICE_OWNER ? undefined : owner.kind
  const service = owner.nameOf(slice)
  if (ownerNameRule(ownerKind)(service).length > 0) return undefined
  return { namespace: slice.metadata?.namespace ?? '', service, ownerKind }
}

/** Returns the rule of the names of a kind of owners: those of Services have no dots. */
export const ownerNameRule = (ownerKind: string | undefined): NameRule =>
  ownerKind === undefined ? labelName : subdomainName

/** Returns a key's fields of a line of the log, whatever else its object says. */
export const keyFields = ({ cluster, namespace, service, ownerKind }: ServiceKey): ServiceKey => ({
  cluster,
  namespace,
  service,
  ownerKind,
})

export function parseOwnerText(text: string): OwnerName {
  const [namespace = '', service = '', kind] = text.split('/')
  return { namespace, service, ownerKind: kind }
}

/** `cluster/OWNER`, by {@link ownerText}; a cluster's name may hold slashes. */
export type KeyText = string & { readonly __brand: 'KeyText' }

export const keyText = (key: ServiceKey): KeyText => `${key.cluster}/${ownerText(key)}` as KeyText

export function parseKeyText(text: KeyText): ServiceKey {
  const parts = text.split('/')
  const owner = parts.splice(/^[A-Z]/.test(parts.at(-1) ?? '') ? -3 : -2)
  return { cluster: parts.join('/'), ...parseOwnerText(owner.join('/')) }
}
