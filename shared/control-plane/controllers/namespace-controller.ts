import { listAt, objectAt, stringsAt } from '../json.ts'
import { finalizersOf, type KubeObject } from '../objects.ts'
import { type Delay, Poller } from '../poller.ts'
import {
  createObject,
  deleteObject,
  type Endpoint,
  type Registry,
  systemContext,
  updateObject,
  type WriteContext,
} from '../registry/index.ts'
import type { ObjectStore } from '../storage/index.ts'
import { WorkQueue } from '../work-queue.ts'
import { type ContentElsewhere, type ContentReport, NO_CONTENT } from './content-elsewhere.ts'
import { withDeletionConditions } from './namespace-conditions.ts'

const USER = {
  username: 'system:serviceaccount:kube-system:namespace-controller',
  groups: ['system:masters'],
}

export interface NamespaceControllerOptions {
  readonly registry: Registry
  readonly store: ObjectStore
  readonly onError: (error: unknown) => void
  /** What other servers keep in namespaces. */
  readonly elsewhere?: ContentElsewhere | undefined
}

/** Milliseconds until other servers are asked again for what holds a namespace. */
const INTERVAL = 2000

/** Empties and finalizes namespaces that are deleted. */
export class NamespaceController {
  readonly #registry: Registry
  readonly #store: ObjectStore
  #unfollow: (() => void) | undefined
  readonly #queue = new WorkQueue<string>((name) => this.#sync(name))
  readonly #onError: (error: unknown) => void
  readonly #elsewhere: ContentElsewhere | undefined
  readonly #poller: Poller

  constructor({ registry, store, onError, elsewhere }: NamespaceControllerOptions) {
    this.#registry = registry
    this.#store = store
    this.#onError = onError
    this.#elsewhere = elsewhere
    this.#poller = new Poller((name) => this.#emptyElsewhere(name), onError)
  }

  /** Takes care of the namespaces that exist, then of all changes. */
  start(): void {
    for (const namespace of this.#store.list('namespaces', '')) this.#sync(namespace.metadata.name ?? '')
    this.#unfollow = this.#registry.follow(({ resource, definition }) =>
      this.#store.subscribe(resource, ({ type, object }) => {
        if (resource === 'namespaces' && type !== 'DELETED') this.#enqueue(object.metadata.name)
        // The last of what holds a namespace may be the one that has just gone.
        else if (definition.namespaced && type === 'DELETED') this.#enqueue(object.metadata.namespace)
      }),
    )
  }

  stop(): void {
    this.#queue.stop()
    this.#poller.stop()
    this.#unfollow?.()
  }

  #enqueue(name: string | undefined): void {
    if (name) this.#queue.add(name, name)
  }

  #sync(name: string): void {
    const namespace = this.#store.get('namespaces', name)
    if (!namespace) return
    try {
      if (namespace.metadata.deletionTimestamp) this.#empty(namespace, name)
    } catch (error) {
      this.#onError(error)
    }
  }

  #empty(namespace: KubeObject, name: string): void {
    const namespaced = this.#registry.resources.filter(({ definition }) => definition.namespaced)
    for (const endpoint of namespaced) {
      for (const object of this.#store.list(endpoint.resource, `${name}/`)) {
        if (!isWaiting(object)) deleteObject(endpoint, object, {}, this.#context())
      }
    }
    if (this.#elsewhere?.exists) this.#poller.poke(name)
    else this.#conclude(namespace, NO_CONTENT)
  }

  async #emptyElsewhere(name: string): Promise<Delay> {
    const report = (await this.#elsewhere?.empty(name)) ?? NO_CONTENT
    const namespace = this.#store.get('namespaces', name)
    if (namespace?.metadata.deletionTimestamp) this.#conclude(namespace, report)
    if (this.#store.get('namespaces', name)?.metadata.deletionTimestamp) return INTERVAL
    this.#poller.forget(name)
    return undefined
  }

  /** Lets the namespace go where nothing is left in it, here or elsewhere, or says what is. */
  #conclude(namespace: KubeObject, { remaining, finalizers, undiscovered, failures }: ContentReport): void {
    const here = this.#left(namespace.metadata.name ?? '')
    const all = { ...here, undiscovered, failures }
    for (const [resource, count] of remaining) all.remaining.set(resource, count)
    for (const [finalizer, count] of finalizers)
      all.finalizers.set(finalizer, (all.finalizers.get(finalizer) ?? 0) + count)
    if (all.remaining.size + undiscovered.length + failures.length === 0) this.#finalize(namespace)
    else this.#tell(namespace, all)
  }

  #left(name: string): { remaining: Map<string, number>; finalizers: Map<string, number> } {
    const remaining = new Map<string, number>()
    const finalizers = new Map<string, number>()
    for (const { resource, definition } of this.#registry.resources) {
      const objects = definition.namespaced ? this.#store.list(resource, `${name}/`) : []
      if (objects.length > 0) remaining.set(`${definition.plural}.${definition.group}`, objects.length)
      for (const finalizer of objects.flatMap(finalizersOf))
        finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1)
    }
    return { remaining, finalizers }
  }

  #tell(namespace: KubeObject, report: ContentReport): void {
    const endpoint = this.#registry.endpoint('', 'v1', 'namespaces')
    if (!endpoint) return
    const subresource = { name: 'status', definition: { kind: '', verbs: [] } }
    const next = withDeletionConditions(namespace, report, Date.now())
    updateObject({ endpoint, stored: namespace, subresource }, next, this.#context())
  }

  /** Takes the controller's own finalizer away; with the last one the namespace goes. */
  #finalize(namespace: KubeObject): void {
    const endpoint = this.#registry.endpoint('', 'v1', 'namespaces')
    const finalize = endpoint?.definition.subresources?.finalize
    if (!endpoint || !finalize) return
    const spec = objectAt(namespace, 'spec')
    const finalizers = stringsAt(spec, 'finalizers').filter((item) => item !== 'kubernetes')
    if (finalizers.length === listAt(spec, 'finalizers').length) return
    updateObject(
      { endpoint, stored: namespace, subresource: { name: 'finalize', definition: finalize } },
      { ...namespace, spec: { ...spec, finalizers } },
      this.#context(),
    )
  }

  #context(): WriteContext {
    const context = systemContext(this.#registry.objects, Date.now())
    return { ...context, user: USER, fieldManager: 'namespace-controller' }
  }
}

/** Deleted already: held by its finalizers or by its grace period, for which there is nobody to do anything but wait. */
function isWaiting(object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata
  return (
    deletionTimestamp !== undefined && (finalizersOf(object).length > 0 || deletionGracePeriodSeconds > 0)
  )
}

/** Makes sure of the namespaces that every cluster has. */
export function createSystemNamespaces(
  endpoint: Endpoint,
  names: readonly string[],
  context: WriteContext,
): void {
  for (const name of names) {
    if (endpoint.store.get(endpoint.resource, name)) continue
    const namespace = { kind: 'Namespace', apiVersion: 'v1', metadata: { name } }
    createObject(endpoint, namespace, undefined, context)
  }
}
