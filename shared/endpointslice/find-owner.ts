import { OWNERS } from './owners.ts'
import { type Labelled, SERVICE_OWNER, type SliceOwner } from './slice-owner.ts'

/**
 * Returns the owner of a kind. An object that does not say its kind is a Service, as in a list of them.
 * @example
 * ```ts
 * ownerOfKind('EndpointSelector').nameLabel // => 'kubernetes.io/endpoint-selector-name'
 * ownerOfKind(undefined).kind // => 'Service'
 * ```
 */
export const ownerOfKind = (kind: string | undefined): SliceOwner =>
  OWNERS.find((owner) => owner.kind === kind) ?? SERVICE_OWNER

/**
 * Returns the kind of owner that the slice's labels name; undefined where they name none.
 * @example
 * ```ts
 * ownerOfSlice({ metadata: { labels: { 'kubernetes.io/service-name': 'web' } } })?.kind // => 'Service'
 * ```
 */
export const ownerOfSlice = (slice: Labelled): SliceOwner | undefined =>
  OWNERS.find((owner) => owner.nameOf(slice) !== '')
