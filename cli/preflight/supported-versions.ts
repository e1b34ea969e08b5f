/** Minor versions of Kubernetes 1 that the tests run on, both included. */
export const SUPPORTED_MINORS = { oldest: 33, newest: 37 } as const
/** The first one that serves EndpointSlices as discovery.k8s.io/v1. */
export const FIRST_MINOR = 21

export const SUPPORTED_TEXT = `1.${SUPPORTED_MINORS.oldest} to 1.${SUPPORTED_MINORS.newest}`

/** Reads the minor version of `v1.36.4-eks-1`; undefined for what is no version of Kubernetes 1. */
export function minorOf(gitVersion: string): number | undefined {
  const [, minor] = /^v1\.(\d+)\./.exec(gitVersion) ?? []
  return minor === undefined ? undefined : Number(minor)
}
