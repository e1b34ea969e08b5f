import type { Pod } from '../../../shared/endpointslice/index.ts'
import { type ApiClient, PODS } from '../../../shared/kubernetes/index.ts'
import { makePodStatus, type PodStatusInput } from './factories.ts'

/** Metadata of a Pod that a call needs. */
export interface PodRef {
  readonly namespace: string
  readonly name: string
}

/** Stand-in for the kubelet: it changes the Pod objects of its node, without any container. */
export interface FakePods {
  /**
   * Creates the pod and reports it as running with these addresses (IPv4 and/or IPv6, the preferred one
   * first).
   */
  start(pod: Pod, addresses: readonly string[], status?: PodStatusInput): Promise<void>
  setStatus(ref: PodRef, addresses: readonly string[], status?: PodStatusInput): Promise<void>
  setReady(ref: PodRef, ready: boolean): Promise<void>
  /** Asks for a graceful end: the pod is terminating until `finish`. */
  terminate(ref: PodRef): Promise<void>
  /** Removes the object at once, whether it is terminating or not. */
  finish(ref: PodRef): Promise<void>
}

const GRACE_SECONDS = 30

export function createFakePods(client: ApiClient): FakePods {
  const setStatus: FakePods['setStatus'] = async (ref, addresses, status) => {
    const patch = { status: makePodStatus(addresses, status) }
    await client.patch(PODS, { ...ref, subresource: 'status' }, patch)
  }
  return {
    setStatus,
    async start(pod, addresses, status) {
      const { metadata } = await client.create(PODS, pod)
      const ref = { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' }
      await setStatus(ref, addresses, status)
    },
    async setReady(ref, ready) {
      const { conditions } = makePodStatus([], { ready })
      await client.patch(PODS, { ...ref, subresource: 'status' }, { status: { conditions } })
    },
    terminate: (ref) => client.delete(PODS, ref, { gracePeriodSeconds: GRACE_SECONDS }),
    finish: (ref) => client.delete(PODS, ref, { gracePeriodSeconds: 0 }),
  }
}
