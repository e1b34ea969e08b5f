import { ownerOfKind } from '../find-owner.ts'
import type { Pod, Service } from '../types.ts'

/**
 * Reports whether the pod's Ready condition is True.
 * @example
 * ```ts
 * isPodReady({ status: { conditions: [{ type: 'Ready', status: 'True' }] } }) // => true
 * ```
 */
export function isPodReady(pod: Pod): boolean {
  const conditions = pod.status?.conditions ?? []
  for (const condition of conditions) {
    if (condition.type === 'Ready') return condition.status === 'True'
  }
  return false
}

/**
 * Reports whether all of the pod's containers have ended for good (phase Failed or Succeeded).
 * @example
 * ```ts
 * isPodTerminal({ status: { phase: 'Failed' } }) // => true
 * ```
 */
export function isPodTerminal(pod: Pod): boolean {
  const phase = pod.status?.phase
  return phase === 'Failed' || phase === 'Succeeded'
}

/** Returns why a pod is no endpoint, or `undefined` if it is. Pods being deleted do count (KEP-1672). */
export function podOmission(pod: Pod): 'Terminal' | 'NoAddress' | undefined {
  if (isPodTerminal(pod)) return 'Terminal'
  const hasAddress = (pod.status?.podIP ?? '') !== '' || (pod.status?.podIPs ?? []).length > 0
  return hasAddress ? undefined : 'NoAddress'
}

/**
 * Reports whether the pod counts as an endpoint: not terminal, and with an IP.
 * @example
 * ```ts
 * isPodCounted({ status: { phase: 'Running', podIPs: [{ ip: '10.0.0.5' }] } }) // => true
 * isPodCounted({ status: { phase: 'Pending' } }) // => false
 * ```
 */
export const isPodCounted = (pod: Pod): boolean => podOmission(pod) === undefined

/**
 * Returns the hostname under which DNS knows the pod; only if the pod's subdomain names the Service.
 * @example
 * ```ts
 * const pod = { spec: { hostname: 'db-0', subdomain: 'db', containers: [] } }
 * publishedHostname(pod, { metadata: { name: 'db' } }) // => 'db-0'
 * ```
 */
export function publishedHostname(pod: Pod, service: Service): string | undefined {
  const hostname = pod.spec?.hostname ?? ''
  if (hostname === '' || pod.spec?.subdomain !== service.metadata?.name) return undefined
  return ownerOfKind(service.kind).rules.publishesHostnames ? hostname : undefined
}
