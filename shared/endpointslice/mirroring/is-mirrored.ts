import { SERVICE_OWNER } from '../slice-owner.ts'
import type { EndpointSlice, Endpoints, Service } from '../types.ts'
import { ANNOTATION_LEADER_ELECTION, LABEL_SKIP_MIRROR } from '../well-known.ts'

/**
 * Reports whether Endpoints are to be mirrored into slices: those that somebody wrote by hand for a Service
 * without a selector (syncEndpoints of the endpointslicemirroring-controller).
 * @param service of the same namespace and name; `undefined` for none
 * @example
 * ```ts
 * isMirrored({ metadata: { name: 'db' } }, { spec: {} }) // => true
 * isMirrored({ metadata: { name: 'db' } }, { spec: { selector: { app: 'db' } } }) // => false
 * ```
 */
export function isMirrored(endpoints: Endpoints, service: Service | undefined): boolean {
  if (endpoints.metadata?.labels?.[LABEL_SKIP_MIRROR] === 'true') return false
  if (isLock(endpoints)) return false
  return service !== undefined && (service.spec?.selector ?? undefined) === undefined
}

/**
 * Reports whether Endpoints stand for a lock of a leader election, which is never mirrored.
 * @example
 * ```ts
 * isLock({ metadata: { annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } } }) // => true
 * ```
 */
export const isLock = ({ metadata }: Endpoints): boolean =>
  Object.hasOwn(metadata?.annotations ?? {}, ANNOTATION_LEADER_ELECTION)

/**
 * Reports whether an ownerReference names the Endpoints of the Service that the slice is labelled with.
 * @example
 * ```ts
 * const metadata = {
 *   labels: { 'kubernetes.io/service-name': 'db' },
 *   ownerReferences: [{ apiVersion: 'v1', kind: 'Endpoints', name: 'db', uid: 'u1' }],
 * }
 * isMirror({ metadata, addressType: 'IPv4', endpoints: [] }) // => true
 * ```
 */
export const isMirror = (slice: EndpointSlice): boolean => SERVICE_OWNER.isNamedBy(slice, 'Endpoints')
