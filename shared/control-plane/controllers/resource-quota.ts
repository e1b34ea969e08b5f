import { objectAt, sameJson } from '../apimachinery/json/values.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import { masked, resourceListAt, sameAmounts } from '../resources/resource-quotas/resource-list.ts'
import { quotaStatus } from '../resources/resource-quotas/status.ts'
import { type CountedResource, usageOf } from '../resources/resource-quotas/usage.ts'
import {
  type ControllerClient,
  type Following,
  type ObjectChange,
  resourceKey,
  type ServedResource,
} from './client/controller-client.ts'
import { RESOURCE_QUOTAS } from './client/resources.ts'
import { Workers } from './workers.ts'

/** Longest time until what was charged for requests that failed later is given back, in milliseconds. */
const RESYNC = 5 * 60_000
/** Resources of whose objects more than their number is counted, and which may use less after a change. */
const MEASURED: ReadonlySet<string> = new Set(['pods', 'services'])

/**
 * Keeps in the status of every quota what it allows and what the objects of its namespace use (upstream's
 * resourcequota-controller). Admission adds to that with every request; this takes away what is gone. Returns
 * the function that ends it.
 */
export function startResourceQuotas(client: ControllerClient, onError: (error: unknown) => void): () => void {
  const controller = new ResourceQuotas(client, onError)
  return controller.start()
}

class ResourceQuotas {
  readonly #client: ControllerClient
  readonly #queue: Workers<ObjectKey>
  readonly #counted = new Map<string, Following>()
  #quotas: Following | undefined

  constructor(client: ControllerClient, onError: (error: unknown) => void) {
    this.#client = client
    this.#queue = new Workers<ObjectKey>({ work: (key) => this.#sync(key), onError })
  }

  start(): () => void {
    const quotas = this.#client.follow(RESOURCE_QUOTAS, {}, (change) => {
      if (hasNewLimits(change)) this.#later(change.object)
    })
    this.#quotas = quotas
    const unfollow = this.#client.followResources((resource) => this.#follow(resource))
    const timer = setInterval(() => this.#allLater(), RESYNC).unref()
    return () => {
      clearInterval(timer)
      unfollow()
      quotas.stop()
      this.#queue.stop()
    }
  }

  #follow(resource: ServedResource): () => void {
    if (!resource.namespaced || !resource.verbs.includes('watch') || resource.plural === 'events')
      return () => undefined
    const key = resourceKey(resource)
    const isMeasured = MEASURED.has(key)
    const following = this.#client.follow(resource, { metadataOnly: !isMeasured }, ({ type, object }) => {
      if (type === 'DELETED' || (type === 'MODIFIED' && isMeasured)) this.#allLater(object.metadata.namespace)
    })
    this.#counted.set(key, following)
    void following.listed.then(() => this.#allLater())
    return () => {
      following.stop()
      this.#counted.delete(key)
    }
  }

  #later({ metadata: { namespace = '', name = '' } }: KubeObject): void {
    this.#queue.add(`${namespace}/${name}`, { namespace, name })
  }

  #allLater(namespace?: string): void {
    for (const quota of this.#quotas?.list(namespace) ?? []) this.#later(quota)
  }

  async #sync({ namespace, name }: ObjectKey): Promise<void> {
    const quota = this.#quotas?.get(namespace, name)
    // Once everything is listed, all quotas are synced.
    if (quota === undefined || [...this.#counted.values()].some(({ isListed }) => !isListed)) return
    const hard = resourceListAt(objectAt(quota, 'spec'), 'hard')
    const status = objectAt(quota, 'status')
    const before = resourceListAt(status, 'used')
    const usage = usageOf(quota, this.#countedIn(namespace), Date.now())
    const used = masked(new Map([...before, ...usage]), hard.keys())
    if (sameAmounts(hard, resourceListAt(status, 'hard')) && sameAmounts(used, before)) return
    await this.#client.update(RESOURCE_QUOTAS, { ...quota, status: quotaStatus({ hard, used }) }, 'status')
  }

  #countedIn(namespace: string): CountedResource[] {
    return [...this.#counted].map(([resource, following]) => ({
      resource,
      list: () => following.list(namespace),
    }))
  }
}

interface ObjectKey {
  readonly namespace: string
  readonly name: string
}

function hasNewLimits({ type, object, previous }: ObjectChange): boolean {
  if (type === 'DELETED') return false
  return previous === undefined || !sameJson(object.spec, previous.spec)
}
