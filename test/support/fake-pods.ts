import type { Pod } from '../../shared/endpointslice/index.ts'
import { type ApiClient, NotFoundError, PODS, runWatcher } from '../../shared/kubernetes/index.ts'
import { makePodStatus, type PodStatusInput } from './factories.ts'

/** Which pod: what of a Pod's metadata a call needs. */
export interface PodRef {
  readonly namespace: string
  readonly name: string
}

/** What a kubelet does to the Pod objects of its node, without any container. */
export interface FakePods {
  /** Creates the pod and reports it as running with these addresses (IPv4 and/or IPv6, the preferred one first). */
  start(pod: Pod, addresses: readonly string[], status?: PodStatusInput): Promise<void>
  setStatus(ref: PodRef, addresses: readonly string[], status?: PodStatusInput): Promise<void>
  setReady(ref: PodRef, ready: boolean): Promise<void>
  /** Asks for a graceful end: the pod is terminating until `finish`. */
  terminate(ref: PodRef): Promise<void>
  /** The object is gone at once, terminating or not. */
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

/** Ends every pod of the cluster as soon as somebody asks for its graceful end, until the signal aborts. */
export async function finishTerminatingPods(client: ApiClient, signal: AbortSignal): Promise<void> {
  const finish = async ({ metadata }: Pod): Promise<void> => {
    if (metadata?.deletionTimestamp === undefined) return
    const ref = { namespace: metadata.namespace, name: metadata.name ?? '' }
    try {
      await client.delete(PODS, ref, {
        gracePeriodSeconds: 0,
        preconditions: { uid: metadata.uid },
        signal,
      })
    } catch (error) {
      // Somebody else was faster, or nobody waits for this pod any more.
      if (!(error instanceof NotFoundError) && !signal.aborted) throw error
    }
  }
  const { promise: failure, reject } = Promise.withResolvers<never>()
  const look = (pod: Pod): void => void finish(pod).catch(reject)
  const handler = { listing() {}, object: look, listed() {}, changed: look, deleted() {} }
  await Promise.race([runWatcher(client, { resource: PODS, handler, signal }), failure])
}
