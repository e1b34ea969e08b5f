import { WebhookClient } from '../admission/webhook-client/webhook-client.ts'
import { conditionOf } from '../apimachinery/conditions.ts'
import { ApiError } from '../apimachinery/errors/status.ts'
import { jsonText } from '../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, stringsAt } from '../apimachinery/json/values.ts'
import { finalizersOf, type KubeObject } from '../apimachinery/objects.ts'
import { keyOf } from '../apiserver/registry/definition/names.ts'
import type { Endpoint } from '../apiserver/registry/definition/resource-definition.ts'
import type { WriteContext } from '../apiserver/registry/definition/write-context.ts'
import type { Registry } from '../apiserver/registry/registry.ts'
import { systemContext } from '../apiserver/registry/system-context.ts'
import { deleteObject } from '../apiserver/registry/writes/delete.ts'
import { updateObject } from '../apiserver/registry/writes/update.ts'
import type { ObjectStore } from '../apiserver/storage/object-store.ts'
import { Workers } from '../controllers/workers.ts'
import { namesAreSettled, withAcceptedNames } from './accepted-names.ts'
import { approvalCondition } from './approval.ts'
import { WebhookConverter } from './conversion/webhook-converter.ts'
import { CLEANUP, type Condition, isTrue, RESOURCE, specOf, statusOf, withCondition } from './crd.ts'
import { definitionsOf } from './resource/definitions.ts'
import type { SchemaTools } from './schema-tools.ts'

interface CustomResourceServices {
  readonly registry: Registry
  readonly store: ObjectStore
  readonly tools: SchemaTools
  readonly onError: (error: unknown) => void
}

/** Time that upstream gives a conversion webhook. */
const CONVERSION_SECONDS = 30
const ESTABLISHED: Condition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
}
const IN_PROGRESS: Condition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
}
const COMPLETED: Condition = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
}
const NEVER: Condition = {
  type: 'Terminating',
  status: 'False',
  reason: 'NeverEstablished',
  message: 'resource was never established',
}

/**
 * Serves what CustomResourceDefinitions define, and reports the progress in their status, as upstream's
 * naming, establishing and finalizing controllers do:
 * 1. Names that no other definition of the group has are accepted.
 * 2. A definition with accepted names is established: its versions are served from then on.
 * 3. Of a deleted one the objects are deleted; when the last is gone, so is the definition.
 */
export class CustomResourceController {
  readonly #services: CustomResourceServices
  readonly #queue: Workers<string>
  /** Content as which each definition is served. It is made again only when that changes. */
  readonly #served = new Map<string, string>()
  readonly #webhooks = new Map<string, WebhookClient>()
  readonly #closing = new AbortController()
  readonly #ends: (() => void)[] = []

  constructor(services: CustomResourceServices) {
    this.#services = services
    this.#queue = new Workers({ work: (name) => this.#sync(name), onError: services.onError })
  }

  /** Serves what is established already, then follows all changes. */
  start(): void {
    const { registry, store } = this.#services
    for (const crd of store.list(RESOURCE, '')) {
      this.#serve(crd)
      this.#enqueue(crd.metadata.name)
    }
    this.#ends.push(
      store.subscribe(RESOURCE, ({ type, object }) => {
        if (type === 'DELETED') this.#withdraw(object)
        else this.#serve(object)
        this.#enqueue(object.metadata.name)
      }),
      // The last object that held a deleted definition may be the one that has just gone.
      registry.follow(({ resource }) =>
        store.subscribe(resource, ({ type }) => {
          if (type === 'DELETED' && this.#served.has(resource)) this.#enqueue(resource)
        }),
      ),
    )
  }

  stop(): void {
    this.#queue.stop()
    for (const end of this.#ends) end()
    this.#closing.abort()
    for (const webhook of this.#webhooks.values()) webhook.retire()
  }

  #enqueue(name: string | undefined): void {
    if (name) this.#queue.add(name, name)
  }

  #sync(name: string): void {
    const crd = this.#services.store.get(RESOURCE, name)
    if (!crd) return
    try {
      if (crd.metadata.deletionTimestamp) this.#finalize(crd, name)
      else if (!namesAreSettled(crd)) this.#acceptNames(crd)
      else if (isTrue(crd, 'NamesAccepted') && !isTrue(crd, 'Established'))
        this.#write(crd, withCondition(crd, ESTABLISHED, Date.now()))
      else this.#tellApproval(crd)
    } catch (error) {
      // Another writer was faster: its change queues the definition again.
      if (!(error instanceof ApiError && error.code === 409)) this.#services.onError(error)
    }
  }

  /** Takes step 1. */
  #acceptNames(crd: KubeObject): void {
    const others = this.#others(crd)
    this.#write(crd, withAcceptedNames(crd, others, Date.now()))
    // It may have left names that others wait for.
    for (const other of others) if (!namesAreSettled(other)) this.#enqueue(other.metadata.name)
  }

  #tellApproval(crd: KubeObject): void {
    const condition = approvalCondition(crd)
    if (!condition) return
    const known = conditionOf(crd, condition.type)
    if (known?.status === condition.status && known.message === condition.message) return
    this.#write(crd, withCondition(crd, condition, Date.now()))
  }

  #others(crd: KubeObject): KubeObject[] {
    return this.#services.store
      .list(RESOURCE, '')
      .filter(({ metadata }) => metadata.name !== crd.metadata.name)
  }

  /** Takes step 2. */
  #serve(crd: KubeObject): void {
    const { registry, tools, onError } = this.#services
    const { name = '' } = crd.metadata
    if (!isTrue(crd, 'Established')) return
    // What the server has by itself cannot be defined again.
    if (!this.#served.has(name) && registry.endpoints.some(({ resource }) => resource === name)) return
    const shown = jsonText([specOf(crd), statusOf(crd).acceptedNames])
    if (this.#served.get(name) === shown) return
    try {
      const definitions = definitionsOf(crd, tools, this.#converterOf(crd, name))
      this.#served.set(name, shown)
      registry.replace(name, definitions)
    } catch (error) {
      onError(error)
    }
  }

  #converterOf(crd: KubeObject, name: string): WebhookConverter | undefined {
    this.#disconnect(name)
    const { strategy, webhook } = objectAt(specOf(crd), 'conversion')
    if (strategy !== 'Webhook' || !isObject(webhook)) return undefined
    const { objects } = this.#services.registry
    const client = new WebhookClient({
      clientConfig: objectAt(webhook, 'clientConfig'),
      objects,
      signal: this.#closing.signal,
      deadlineText: 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
    })
    this.#webhooks.set(name, client)
    const versions = stringsAt(webhook, 'conversionReviewVersions')
    return new WebhookConverter(versions, (body) => client.call(body, CONVERSION_SECONDS))
  }

  #disconnect(name: string): void {
    this.#webhooks.get(name)?.retire()
    this.#webhooks.delete(name)
  }

  #withdraw(crd: KubeObject): void {
    const { name = '' } = crd.metadata
    this.#disconnect(name)
    if (this.#served.delete(name)) this.#services.registry.replace(name, [])
    for (const other of this.#others(crd)) if (!namesAreSettled(other)) this.#enqueue(other.metadata.name)
  }

  /** Takes step 3. */
  #finalize(crd: KubeObject, name: string): void {
    if (!finalizersOf(crd).includes(CLEANUP)) return
    if (!this.#served.has(name)) {
      this.#release(crd, NEVER)
      return
    }
    const progressing = this.#write(crd, withCondition(crd, IN_PROGRESS, Date.now()))
    if (this.#deleteObjects(name) === 0) this.#release(progressing, COMPLETED)
  }

  #release(crd: KubeObject, condition: Condition): void {
    const finalizers = finalizersOf(crd).filter((finalizer) => finalizer !== CLEANUP)
    const updated = withCondition(crd, condition, Date.now())
    this.#write(crd, { ...updated, metadata: { ...updated.metadata, finalizers } })
  }

  /** Deletes the objects that are not being deleted yet; returns how many are left. */
  #deleteObjects(resource: string): number {
    const { registry, store } = this.#services
    const endpoint = registry.resources.find((known) => known.resource === resource)
    for (const object of store.list(resource, '')) {
      const { namespace, name = '', deletionTimestamp } = object.metadata
      if (!endpoint) store.remove(resource, keyOf(namespace, name), object)
      else if (!deletionTimestamp) deleteObject(endpoint, object, {}, this.#context())
    }
    return store.count(resource)
  }

  #write(stored: KubeObject, next: KubeObject): KubeObject {
    const subresource = { name: 'status', definition: { kind: '', verbs: [] } }
    return updateObject({ endpoint: this.#endpoint(), stored, subresource }, next, this.#context())
  }

  #endpoint(): Endpoint {
    const endpoint = this.#services.registry.endpoint(
      'apiextensions.k8s.io',
      'v1',
      'customresourcedefinitions',
    )
    if (!endpoint) throw new Error('failed to write a CustomResourceDefinition: the resource is not served')
    return endpoint
  }

  #context(): WriteContext {
    return systemContext(this.#services.registry.objects, Date.now())
  }
}
