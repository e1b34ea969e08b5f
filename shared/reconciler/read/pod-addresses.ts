import type { Pod, SkippedObject } from '../../endpointslice/index.ts'

/**
 * Removes the addresses that may not be published, and calls `skip` with each. Malformed ones are left for
 * the plan to complain about.
 * @param problemOf says why an address may not be published, as a clause
 */
export function withoutAddresses(
  pod: Pod,
  problemOf: (address: string) => string | undefined,
  skip: (object: SkippedObject) => void,
): Pod {
  const podIPs = pod.status?.podIPs
  if (!Array.isArray(podIPs)) return pod
  const { namespace = '', name = '' } = pod.metadata ?? {}
  const allowed = podIPs.filter((entry) => {
    const ip: unknown = entry?.ip
    const problem = typeof ip === 'string' ? problemOf(ip) : undefined
    if (problem !== undefined)
      skip({
        kind: 'Pod',
        namespace,
        name,
        reason: 'RefusedAddress',
        message: `its address ${ip} ${problem}`,
      })
    return problem === undefined
  })
  if (allowed.length === podIPs.length) return pod
  return { ...pod, status: { ...pod.status, podIP: allowed[0]?.ip, podIPs: allowed } }
}
