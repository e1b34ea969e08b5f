import type { AddressType, Endpoint } from '../types.ts'
import { type PublishedPod, podKey } from './published-pods.ts'

/**
 * The pods of one address type and port set that have no place yet, found by the endpoint that they are
 * published as. An endpoint is known by its addresses, hostname and pod; whatever else differs is brought up
 * to date in place.
 *
 * Nearly always the pod's name alone finds it, which is many times faster than a text of all of these. Only
 * pods that share a name, as those of two clusters may, are looked up by the whole identity.
 */
export class PodIndex {
  readonly #addressType: AddressType
  readonly #namespace: string
  readonly #byPod = new Map<string, PublishedPod>()
  readonly #namesakes = new Map<string, PublishedPod>()

  /** @param namespace of the Service: its pods go by their names alone */
  constructor(addressType: AddressType, namespace: string) {
    this.#addressType = addressType
    this.#namespace = namespace
  }

  get size(): number {
    return this.#byPod.size + this.#namesakes.size
  }

  /** Adds a pod. Of pods with the same identity, {@link preferred} decides which one stays. */
  add(pod: PublishedPod): void {
    const first = this.#byPod.get(pod.key)
    if (first === undefined) this.#byPod.set(pod.key, pod)
    else if (this.#identityOf(first) === this.#identityOf(pod))
      this.#byPod.set(pod.key, preferred(first, pod))
    else this.#addNamesake(pod)
  }

  #addNamesake(pod: PublishedPod): void {
    const identity = this.#identityOf(pod)
    this.#namesakes.set(identity, preferred(this.#namesakes.get(identity) ?? pod, pod))
  }

  /** Takes the pod out that the endpoint is of. @returns `undefined` when there is none */
  take(endpoint: Endpoint): PublishedPod | undefined {
    const { namespace = '', name = '' } = endpoint.targetRef ?? {}
    const key = podKey(namespace, name, this.#namespace)
    const pod = this.#byPod.get(key)
    if (pod !== undefined && this.#isEndpointOf(endpoint, pod)) {
      this.#byPod.delete(key)
      return pod
    }
    return this.#namesakes.size === 0 ? undefined : this.#takeNamesake(endpoint, key)
  }

  #takeNamesake({ addresses, hostname }: Endpoint, key: string): PublishedPod | undefined {
    const identity = identityText(key, hostname, addresses)
    const pod = this.#namesakes.get(identity)
    this.#namesakes.delete(identity)
    return pod
  }

  /** Returns all that are left, in an order that does not depend on the one in which they were added. */
  rest(): PublishedPod[] {
    const byIdentity = (a: PublishedPod, b: PublishedPod): number =>
      this.#identityOf(a) < this.#identityOf(b) ? -1 : 1
    const byKey = (a: PublishedPod, b: PublishedPod): number => (a.key < b.key ? -1 : 1)
    const pods = [...this.#byPod.values(), ...this.#namesakes.values()]
    return pods.sort(this.#namesakes.size === 0 ? byKey : byIdentity)
  }

  #isEndpointOf({ hostname, addresses }: Endpoint, pod: PublishedPod): boolean {
    if ((hostname ?? '') !== (pod.hostname ?? '')) return false
    const wanted = pod.addresses[this.#addressType]
    const actual = addresses ?? []
    if (actual.length !== wanted.length) return false
    if (actual.length === 1) return actual[0] === wanted[0]
    return actual.toSorted().every((address, index) => address === wanted[index])
  }

  #identityOf(pod: PublishedPod): string {
    return identityText(pod.key, pod.hostname, pod.addresses[this.#addressType])
  }
}

/** Joins the parts of an identity, none of which holds a space or a comma. */
const identityText = (
  key: string,
  hostname: string | undefined,
  addresses: readonly string[] | undefined,
): string => `${key} ${hostname ?? ''} ${(addresses ?? []).toSorted().join()}`

/**
 * Returns the pod that is published of two with the same identity: the one with the greatest uid. Endpoints
 * without a uid, as those of another cluster, are compared by what clients get of them.
 */
function preferred(a: PublishedPod, b: PublishedPod): PublishedPod {
  const [uidA, uidB] = [a.uid ?? '', b.uid ?? '']
  if (uidA !== uidB) return uidA > uidB ? a : b
  const [rankA, rankB] = [rankOf(a), rankOf(b)]
  if (rankA !== rankB) return rankA > rankB ? a : b
  return stableText(a) <= stableText(b) ? a : b
}

/** Ranks what is ready above what is serving, and that above what is not terminating. */
const rankOf = ({
  ready,
  serving,
  terminating,
}: Pick<PublishedPod, 'ready' | 'serving' | 'terminating'>): number =>
  Number(ready) * 4 + Number(serving) * 2 + Number(!terminating)

const stableText = ({ kind, nodeName, zone }: PublishedPod): string => JSON.stringify([kind, nodeName, zone])
