import { objectAt, sameJson } from '../json.ts'
import type { KubeObject } from '../objects.ts'
import { type Endpoint, keyOf, type Registry } from '../registry/index.ts'
import {
  type CountedResource,
  masked,
  resourceListAt,
  sameAmounts,
  usageOf,
  writeQuotaStatus,
} from '../resources/index.ts'
import type { Change } from '../storage/index.ts'
import { WorkQueue } from '../work-queue.ts'

const QUOTAS = 'resourcequotas'
/** What was charged for requests that failed later is given back after this time at the latest, in milliseconds. */
const RESYNC = 5 * 60_000
/** Resources whose objects may use less after a change. */
const SHRINKING: ReadonlySet<string> = new Set(['pods', 'services'])

/**
 * Keeps in the status of every quota what it allows and what the objects of its namespace use (upstream's resourcequota-controller). Admission
 * adds to that with every request; this takes away what is gone. Returns the function that ends it.
 */
export function startResourceQuotas(registry: Registry, onError: (error: unknown) => void): () => void {
  const quotas = registry.endpoint('', 'v1', QUOTAS)
  if (quotas === undefined) return () => undefined
  const queue = new WorkQueue<string>((key) => {
    try {
      sync(quotas, registry, key)
    } catch (error) {
      onError(error)
    }
  })
  const addAll = (namespace = ''): void => {
    for (const { metadata } of quotas.store.list(QUOTAS, namespace && `${namespace}/`)) {
      const key = keyOf(metadata.namespace, metadata.name ?? '')
      queue.add(key, key)
    }
  }
  const unfollow = registry.follow(({ resource, definition, store }) =>
    definition.namespaced
      ? store.subscribe(resource, (change) => {
          if (resource === QUOTAS && hasNewLimits(change)) queue.add(change.key, change.key)
          if (mayFree(resource, change)) addAll(change.object.metadata.namespace)
        })
      : () => undefined,
  )
  addAll()
  const timer = setInterval(addAll, RESYNC).unref()
  return () => {
    clearInterval(timer)
    unfollow()
    queue.stop()
  }
}

function hasNewLimits({ type, object, previous }: Change): boolean {
  if (type === 'DELETED') return false
  return previous === undefined || !sameJson(object.spec, previous.spec)
}

const mayFree = (resource: string, { type }: Change): boolean =>
  type === 'DELETED' || (type === 'MODIFIED' && SHRINKING.has(resource))

function sync(quotas: Endpoint, registry: Registry, key: string): void {
  const quota = quotas.store.get(QUOTAS, key)
  if (quota === undefined) return
  const status = objectAt(quota, 'status')
  const hard = resourceListAt(objectAt(quota, 'spec'), 'hard')
  const before = resourceListAt(status, 'used')
  const usage = usageOf(quota, countedIn(quota, registry), Date.now())
  const used = masked(new Map([...before, ...usage]), hard.keys())
  if (sameAmounts(hard, resourceListAt(status, 'hard')) && sameAmounts(used, before)) return
  writeQuotaStatus(quotas, quota, { hard, used }, 'kube-controller-manager')
}

function countedIn({ metadata: { namespace } }: KubeObject, registry: Registry): CountedResource[] {
  return registry.resources
    .filter(({ definition }) => definition.namespaced && !definition.strategy?.answer)
    .map(({ resource, store }) => ({ resource, list: () => store.list(resource, `${namespace}/`) }))
}
