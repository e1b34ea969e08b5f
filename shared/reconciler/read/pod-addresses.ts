import type { Pod, SkippedObject } from '../../endpointslice/index.ts'

/** Says why an address may not be published, as a clause. */
type AddressProblem = (address: string) => string | undefined

/**
 * Returns a function that reports whether an address of an object may be published, and calls `skip` where it
 * may not. Malformed ones are left for the plan to complain about.
 */
export const publishable =
  (
    object: Pick<SkippedObject, 'kind' | 'namespace' | 'name'>,
    problemOf: AddressProblem,
    skip: (object: SkippedObject) => void,
  ) =>
  (address: unknown): boolean => {
    const problem = typeof address === 'string' ? problemOf(address) : undefined
    const message = `its address ${address} ${problem}`
    if (problem !== undefined) skip({ ...object, reason: 'RefusedAddress', message })
    return problem === undefined
  }

/** Removes the addresses that may not be published, and calls `skip` with each. */
export function withoutAddresses(
  pod: Pod,
  problemOf: AddressProblem,
  skip: (object: SkippedObject) => void,
): Pod {
  const podIPs = pod.status?.podIPs
  if (!Array.isArray(podIPs)) return pod
  const { namespace = '', name = '' } = pod.metadata ?? {}
  const isAllowed = publishable({ kind: 'Pod', namespace, name }, problemOf, skip)
  const allowed = podIPs.filter((entry) => isAllowed(entry?.ip))
  if (allowed.length === podIPs.length) return pod
  return { ...pod, status: { ...pod.status, podIP: allowed[0]?.ip, podIPs: allowed } }
}
