import { objectsAt, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { ObjectStore } from './object-store.ts'

/** The longest that a timer of Node's waits, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1

interface ExpiryOptions {
  /** The resource's name in the store. */
  readonly resource: string
  /** Time after the last write for which an object stays. */
  readonly seconds: number
  readonly onError: (error: unknown) => void
}

/**
 * Removes objects of a resource that have not been written for a time, as etcd's leases do to events of
 * kube-apiserver (`--event-ttl`). The time of those that an earlier process has left counts from the last
 * write that they tell of. Returns the function that ends it.
 */
export function startExpiry(store: ObjectStore, { resource, seconds, onError }: ExpiryOptions): () => void {
  /** Times at which objects go, in milliseconds since 1970; the first one goes first. */
  const deadlines = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  function expire(): void {
    timer = undefined
    try {
      for (const [key, deadline] of deadlines) {
        if (deadline > Date.now()) break
        const object = store.get(resource, key)
        if (object) store.remove(resource, key, object)
        deadlines.delete(key)
      }
    } catch (error) {
      onError(error)
      return
    }
    wait()
  }

  function wait(): void {
    const [first] = deadlines.values()
    if (timer !== undefined || first === undefined) return
    timer = setTimeout(expire, Math.min(Math.max(0, first - Date.now()), LONGEST_TIMER)).unref()
  }

  const known = store
    .list(resource, '')
    .map((object): [string, number] => [keyOf(object), lastWritten(object) + seconds * 1000])
  for (const [key, deadline] of known.sort(([, a], [, b]) => a - b)) deadlines.set(key, deadline)
  const unsubscribe = store.subscribe(resource, ({ type, key }) => {
    deadlines.delete(key)
    if (type !== 'DELETED') deadlines.set(key, Date.now() + seconds * 1000)
    wait()
  })
  wait()
  return () => {
    unsubscribe()
    clearTimeout(timer)
  }
}

const keyOf = ({ metadata: { namespace, name = '' } }: KubeObject): string =>
  namespace ? `${namespace}/${name}` : name

function lastWritten({ metadata }: KubeObject): number {
  const times = objectsAt(metadata, 'managedFields').map((entry) => Date.parse(stringAt(entry, 'time')))
  const known = [Date.parse(metadata.creationTimestamp ?? ''), ...times].filter((time) => !Number.isNaN(time))
  return known.reduce((latest, time) => Math.max(latest, time), 0)
}
