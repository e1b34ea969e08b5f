import type { AddressType, Service } from '../types.ts'
import { parseIp } from './ip-address.ts'

/**
 * Reports whether the Service has no cluster IP of its own: `None`, or not (yet) set.
 * @example
 * ```ts
 * isHeadless({ spec: { clusterIP: 'None' } }) // => true
 * ```
 */
export function isHeadless(service: Service): boolean {
  const clusterIP = service.spec?.clusterIP ?? ''
  return clusterIP === '' || clusterIP === 'None'
}

/**
 * Returns the address types in which a Service is published, in the order in which they are planned: those of
 * `spec.ipFamilies`; for objects from before KEP-563 (dual stack) the family of the cluster IP, and both when
 * headless.
 * @example
 * ```ts
 * addressTypesOf({ spec: { clusterIP: 'fd00::7' } }) // => ['IPv6']
 * addressTypesOf({ spec: { clusterIP: 'None' } }) // => ['IPv4', 'IPv6']
 * ```
 */
export function addressTypesOf(service: Service): AddressType[] {
  const given: unknown = service.spec?.ipFamilies
  const families: readonly unknown[] = Array.isArray(given) ? given : []
  const types = (['IPv4', 'IPv6'] as const).filter((type) => families.includes(type))
  if (types.length > 0) return types
  if (isHeadless(service)) return ['IPv4', 'IPv6']
  return [parseIp(service.spec?.clusterIP ?? '')?.type ?? 'IPv4']
}
