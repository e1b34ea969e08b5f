import { listAt, objectAt, sameJson, stringsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { type ControllerClient, type Following, refOf } from '../client/controller-client.ts'
import { NAMESPACES } from '../client/resources.ts'
import { Workers } from '../workers.ts'
import { type ContentElsewhere, type ContentReport, NO_CONTENT } from './content-elsewhere.ts'
import { withDeletionConditions } from './namespace-conditions.ts'
import { emptyNamespace } from './namespace-content.ts'

/** Milliseconds until resources that cannot be followed are tried again. */
const INTERVAL = 2000
/** Milliseconds until a namespace is retried whose content waits for finalizers, as in upstream. */
const FINALIZERS_INTERVAL = 15_000

/**
 * Empties and finalizes namespaces that are deleted (upstream's namespace-controller). Returns the function
 * that ends it.
 *
 * @param elsewhere what other servers keep in namespaces, where the client does not show that
 */
export function startNamespaces(
  client: ControllerClient,
  onError: (error: unknown) => void,
  elsewhere?: ContentElsewhere,
): () => void {
  const controller = new NamespaceController(client, onError, elsewhere)
  return controller.start()
}

class NamespaceController {
  readonly #client: ControllerClient
  readonly #queue: Workers<string>
  readonly #elsewhere: ContentElsewhere | undefined
  #namespaces: Following | undefined

  constructor(
    client: ControllerClient,
    onError: (error: unknown) => void,
    elsewhere: ContentElsewhere | undefined,
  ) {
    this.#client = client
    this.#elsewhere = elsewhere
    this.#queue = new Workers<string>({ work: (name) => this.#sync(name), onError })
  }

  start(): () => void {
    const following = this.#client.follow(NAMESPACES, {}, ({ type, object }) => {
      const { name = '', deletionTimestamp } = object.metadata
      if (type !== 'DELETED' && deletionTimestamp !== undefined) this.#queue.add(name, name)
    })
    this.#namespaces = following
    const unfollow = this.#client.followResources((resource) => {
      if (!resource.namespaced || !resource.verbs.includes('watch') || resource.plural === 'events')
        return () => undefined
      const content = this.#client.follow(resource, { metadataOnly: true }, ({ type, object }) => {
        // The last of what holds a namespace may be the one that has just gone.
        if (type === 'DELETED') this.#contentGone(object.metadata.namespace ?? '')
      })
      return () => content.stop()
    })
    return () => {
      unfollow()
      following.stop()
      this.#queue.stop()
    }
  }

  #contentGone(name: string): void {
    if (this.#namespaces?.get('', name)?.metadata.deletionTimestamp !== undefined) this.#queue.add(name, name)
  }

  async #sync(name: string): Promise<void> {
    const known = this.#namespaces?.get('', name)
    if (known?.metadata.deletionTimestamp === undefined) return
    const [here, there] = await Promise.all([
      emptyNamespace(this.#client, name),
      this.#elsewhere?.exists ? this.#elsewhere.empty(name) : NO_CONTENT,
    ])
    const namespace = await this.#client.get(NAMESPACES, refOf(known))
    if (namespace?.metadata.uid !== known.metadata.uid || namespace === undefined) return
    await this.#conclude(namespace, merged(here, there))
  }

  /** Lets the namespace go where nothing is left in it, here or elsewhere, or says what is. */
  async #conclude(namespace: KubeObject, report: ContentReport): Promise<void> {
    const { remaining, undiscovered, failures, finalizers } = report
    const isEmpty = remaining.size + undiscovered.length + failures.length === 0
    if (isEmpty) await this.#finalize(namespace)
    else await this.#setConditions(namespace, report)
    const { name = '' } = namespace.metadata
    // Other finalizers of the namespace itself are for others to take away, which brings it here again.
    if (isEmpty) return
    const isHeld = finalizers.size > 0 && undiscovered.length + failures.length === 0
    this.#queue.addAfter(name, name, isHeld && !this.#elsewhere?.exists ? FINALIZERS_INTERVAL : INTERVAL)
  }

  async #setConditions(namespace: KubeObject, report: ContentReport): Promise<void> {
    const next = withDeletionConditions(namespace, report, Date.now())
    if (!sameJson(next, namespace)) await this.#client.update(NAMESPACES, next, 'status')
  }

  /** Takes the controller's own finalizer away; with the last one the namespace goes. */
  async #finalize(namespace: KubeObject): Promise<void> {
    const spec = objectAt(namespace, 'spec')
    const finalizers = stringsAt(spec, 'finalizers').filter((item) => item !== 'kubernetes')
    if (finalizers.length === listAt(spec, 'finalizers').length) return
    await this.#client.update(NAMESPACES, { ...namespace, spec: { ...spec, finalizers } }, 'finalize')
  }
}

function merged(a: ContentReport, b: ContentReport): ContentReport {
  return {
    remaining: summed(a.remaining, b.remaining),
    finalizers: summed(a.finalizers, b.finalizers),
    undiscovered: [...a.undiscovered, ...b.undiscovered],
    failures: [...a.failures, ...b.failures],
  }
}

function summed(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): Map<string, number> {
  const sum = new Map(a)
  for (const [name, count] of b) sum.set(name, (sum.get(name) ?? 0) + count)
  return sum
}
