import type { Pod, Service } from './types.ts'

/** Whether the pod's Ready condition is True. */
export function isPodReady(pod: Pod): boolean {
  const conditions = pod.status?.conditions ?? []
  for (const condition of conditions) {
    if (condition.type === 'Ready') return condition.status === 'True'
  }
  return false
}

/** Whether all of the pod's containers have ended for good (phase Failed or Succeeded). */
export function isPodTerminal(pod: Pod): boolean {
  const phase = pod.status?.phase
  return phase === 'Failed' || phase === 'Succeeded'
}

/** Whether the pod counts as an endpoint: not terminal, and with an IP. Pods being deleted do count (KEP-1672). */
export function isPodCounted(pod: Pod): boolean {
  if (isPodTerminal(pod)) return false
  return (pod.status?.podIP ?? '') !== '' || (pod.status?.podIPs ?? []).length > 0
}

/** The hostname under which DNS knows the pod; only when the pod's subdomain names the Service. */
export function publishedHostname(pod: Pod, service: Service): string | undefined {
  const hostname = pod.spec?.hostname ?? ''
  return hostname !== '' && pod.spec?.subdomain === service.metadata?.name ? hostname : undefined
}
