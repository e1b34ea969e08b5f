import type { Node, Pod, Service } from '../../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  type ApiObject,
  NODES,
  type ObjectRef,
  PODS,
  type Resource,
  SERVICES,
} from '../../../shared/kubernetes/index.ts'
import { IN_TREE_CONTROLLER } from '../../support/workload.ts'
import { expectedSlices } from '../../support/world/index.ts'
import type { Cause, Judge, WriteSpan } from './judge.ts'
import { addressName, expectedPublication } from './publications.ts'

/**
 * Derives from the driver's own writes what every address is owed, and reports it to the judge. A deleted
 * Service owes the same as before until it is created again: its slices do not matter meanwhile, and the
 * in-tree controller leaves them to the garbage collector.
 */
export interface Ledger {
  wrote(resource: Resource, object: ApiObject, write: WriteSpan): void
  deleted(resource: Resource, ref: ObjectRef, write: WriteSpan): void
  /** Notes that the pod ends gracefully: it is terminating from now on. */
  terminating(ref: ObjectRef, write: WriteSpan): void
}

const keyOf = ({ namespace, name }: Partial<ObjectRef>): string => `${namespace}/${name}`

/** Addresses of one pod that one Service ought to publish: states by address. */
type Debt = ReadonlyMap<string, string>

export function createLedger(judge: Pick<Judge, 'owe'>): Ledger {
  const services = new Map<string, Service>()
  const pods = new Map<string, Pod>()
  const nodes = new Map<string, Node>()
  const candidates = new Candidates()
  /** Debts by Service, then by pod. */
  const debts = new Map<string, Map<string, Debt>>()
  /** Keys of the Services that owe something of a pod. */
  const owners = new Map<string, Set<string>>()

  /**
   * Returns what a Service owes of a pod. A pod's endpoints depend on no other pod, so that its changes are
   * judged without the rest.
   */
  function debtOf(serviceKey: string, podKey: string): Debt {
    const service = services.get(serviceKey)
    const pod = pods.get(podKey)
    if (service === undefined || pod === undefined) return new Map()
    const node = nodes.get(pod.spec?.nodeName ?? '')
    const state = { pods: [pod], nodes: node === undefined ? [] : [node] }
    const expected = expectedSlices(service, state, { mode: 'replace', managedBy: IN_TREE_CONTROLLER })
    const { namespace = '', name = '' } = service.metadata ?? {}
    return new Map(
      [...(expected?.endpoints.values() ?? [])]
        .flat()
        .flatMap((endpoint) =>
          endpoint.addresses.map((ip) => [addressName(namespace, name, ip), expectedPublication(endpoint)]),
        ),
    )
  }

  function settle(serviceKey: string, podKey: string, cause: Cause): void {
    const ofService = debts.get(serviceKey) ?? new Map<string, Debt>()
    debts.set(serviceKey, ofService)
    const before = ofService.get(podKey)
    const after = debtOf(serviceKey, podKey)
    const ofPod = owners.get(podKey) ?? new Set<string>()
    owners.set(podKey, ofPod)
    if (after.size > 0) {
      ofService.set(podKey, after)
      ofPod.add(serviceKey)
    } else {
      ofService.delete(podKey)
      ofPod.delete(serviceKey)
    }
    for (const [address, value] of after) judge.owe(address, value, cause)
    for (const address of before?.keys() ?? []) if (!after.has(address)) judge.owe(address, undefined, cause)
  }

  const servicesOf = (podKey: string): string[] =>
    [...new Set([...candidates.ofPod(podKey, pods.get(podKey)), ...(owners.get(podKey) ?? [])])].filter(
      (service) => services.has(service),
    )

  function podsOf(serviceKey: string): Iterable<string> {
    const service = services.get(serviceKey)
    const owed = debts.get(serviceKey)?.keys() ?? []
    return service === undefined ? [] : new Set([...candidates.ofService(serviceKey, service), ...owed])
  }

  function changed(resource: Resource, key: string, write: WriteSpan): void {
    if (resource === PODS)
      for (const service of servicesOf(key)) settle(service, key, { of: 'pod', ...write })
    if (resource === SERVICES) for (const pod of podsOf(key)) settle(key, pod, { of: 'service', ...write })
  }

  const storeOf = (resource: Resource): Map<string, ApiObject> | undefined => {
    if (resource === PODS) return pods
    if (resource === SERVICES) return services
    return resource === NODES ? nodes : undefined
  }

  return {
    wrote(resource, object, write) {
      const { namespace, name = '' } = object.metadata ?? {}
      const key = resource.namespaced ? keyOf({ namespace, name }) : name
      storeOf(resource)?.set(key, object)
      changed(resource, key, write)
    },
    deleted(resource, ref, write) {
      const key = resource.namespaced ? keyOf(ref) : ref.name
      storeOf(resource)?.delete(key)
      changed(resource, key, write)
    },
    terminating(ref, write) {
      const key = keyOf(ref)
      const pod = pods.get(key)
      if (pod === undefined) return
      const metadata = { ...pod.metadata, deletionTimestamp: new Date().toISOString() }
      pods.set(key, { ...pod, metadata })
      changed(PODS, key, write)
    },
  }
}

/** Finds by one label which Services and Pods may belong together: there are thousands of each. */
class Candidates {
  readonly #pods = new KeysByLabel()
  readonly #services = new KeysByLabel()

  /** Remembers a Pod's labels; returns the keys of Services that may select it. */
  ofPod(key: string, pod: Pod | undefined): string[] {
    const { namespace, labels = {} } = pod?.metadata ?? {}
    const all = Object.entries(labels)
    this.#pods.set(key, namespace, all)
    return all.flatMap((label) => this.#services.of(namespace, label))
  }

  /** Remembers a Service's selector; returns the keys of Pods that it may select. */
  ofService(key: string, { metadata, spec }: Service): string[] {
    const first = Object.entries(spec?.selector ?? {}).slice(0, 1)
    this.#services.set(key, metadata?.namespace, first)
    return first.flatMap((label) => this.#pods.of(metadata?.namespace, label))
  }
}

type Label = readonly [name: string, value: string]

/** Keys of objects by a label, within a namespace. */
class KeysByLabel {
  readonly #keys = new Map<string, Set<string>>()
  readonly #labels = new Map<string, readonly string[]>()

  of(namespace: string | undefined, [name, value]: Label): string[] {
    return [...(this.#keys.get(`${namespace}/${name}=${value}`) ?? [])]
  }

  set(key: string, namespace: string | undefined, labels: readonly Label[]): void {
    for (const before of this.#labels.get(key) ?? []) this.#keys.get(before)?.delete(key)
    const texts = labels.map(([name, value]) => `${namespace}/${name}=${value}`)
    this.#labels.set(key, texts)
    for (const text of texts) {
      const keys = this.#keys.get(text) ?? new Set<string>()
      this.#keys.set(text, keys.add(key))
    }
  }
}

/** Returns the same client. Its writes go into the ledger as soon as they are answered. */
export function entered(client: ApiClient, ledger: Ledger, onWrite: () => void): ApiClient {
  async function timed<T>(call: () => Promise<T>, enter: (answer: T, write: WriteSpan) => void): Promise<T> {
    const begun = performance.now()
    const answer = await call()
    onWrite()
    enter(answer, { begun, ended: performance.now() })
    return answer
  }
  return {
    ...client,
    create: (resource, object, options) =>
      timed(
        () => client.create(resource, object, options),
        (answer, write) => ledger.wrote(resource, answer, write),
      ),
    patch: (resource, ref, patch, options) =>
      timed(
        () => client.patch(resource, ref, patch, options),
        (answer, write) => ledger.wrote(resource, answer, write),
      ),
    delete: (resource, ref, options) =>
      timed(
        () => client.delete(resource, ref, options),
        (_, write) =>
          options?.gracePeriodSeconds ? ledger.terminating(ref, write) : ledger.deleted(resource, ref, write),
      ),
  }
}
