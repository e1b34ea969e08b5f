import { internal } from '../../apimachinery/errors/factories.ts'
import { jsonText } from '../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { PastChange, StorageBackend, StoredChange } from './backend.ts'
import { type Change, RecordedChange } from './change.ts'
import { History, type HistoryLimits } from './history.ts'
import { SortedTable } from './sorted-table.ts'
import { type ObjectRecord, StoredObject } from './stored-object.ts'

interface Waiter {
  readonly revision: number
  readonly done: () => void
}

type ChangeListener = (change: Change) => void

interface Subscription {
  readonly listener: ChangeListener
  /** The revision at which it was made: the listener is called for later changes. */
  readonly after: number
}

interface Batch {
  readonly done: PromiseWithResolvers<void>
  readonly timer: NodeJS.Immediate
}

/**
 * All objects at their latest state under one global revision, with the latest changes. Every write takes one
 * revision and calls the listeners of its resource before it returns, in the order of the revisions: for a
 * write of a listener, they are called once all have been called with the change that caused it. A write is
 * durable with the commit that the writes of one turn of the event loop share: before it is sent to a client,
 * wait for `durable` or call `flush`.
 */
export class ObjectStore {
  readonly #backend: StorageBackend
  readonly #onError: (error: unknown) => void
  readonly #tables = new Map<string, SortedTable>()
  readonly #subscriptions = new Map<string, Set<Subscription>>()
  readonly #history: History
  readonly #waiters = new Set<Waiter>()
  /** Changes that listeners are being called with, and those after them. */
  readonly #undelivered: RecordedChange[] = []
  #revision: number
  #batch: Batch | undefined
  #failure: Error | undefined

  /**
   * @param onError called when the backend fails, after which nothing is written or delivered, and with what
   *   a listener throws: the write is stored all the same, and the other listeners are called. Default: the
   *   process ends, as with every uncaught error.
   */
  constructor(backend: StorageBackend, limits: HistoryLimits, onError = uncaught) {
    this.#backend = backend
    this.#onError = onError
    const { revision, rows, changes } = backend.load()
    // Real servers count from 1; 0 has a meaning of its own in requests.
    this.#revision = Math.max(revision, 1)
    this.#history = new History(limits, this.#revision)
    let dropped: number | undefined
    for (const change of changes) dropped = this.#history.append(pastChange(change)) ?? dropped
    // Not before all are read: the backend is still reading them.
    this.#compact(dropped)
    if (this.#failure) throw this.#failure
    for (const { resource, key, json } of rows) this.#table(resource).set(new StoredObject(key, json))
  }

  get revision(): number {
    return this.#revision
  }

  /** The newest revision that can no longer be read. */
  get compacted(): number {
    return this.#history.compacted
  }

  get(resource: string, key: string): KubeObject | undefined {
    return this.#table(resource).get(key)?.object
  }

  /** Returns the objects whose keys begin with the prefix, in the order of their keys. */
  list(resource: string, prefix: string): KubeObject[] {
    return this.records(resource, prefix).map(({ object }) => object)
  }

  /** Returns records as `list` does, which are parsed when they are first used. */
  records(resource: string, prefix: string): ObjectRecord[] {
    return this.#table(resource).withPrefix(prefix)
  }

  /** Returns records as `records` does, at an earlier revision that is not compacted. */
  recordsAt(resource: string, prefix: string, revision: number): ObjectRecord[] {
    const changed = this.#history.since(resource, revision).filter((change) => change.key.startsWith(prefix))
    if (changed.length === 0) return this.records(resource, prefix)
    const past = new SortedTable()
    for (const object of this.#table(resource).withPrefix(prefix)) past.set(object)
    for (const { key, before } of changed.reverse()) {
      if (before) past.set(before)
      else past.delete(key)
    }
    return past.withPrefix('')
  }

  count(resource: string): number {
    return this.#table(resource).size
  }

  /** Writes an object; it gets the new revision as its resourceVersion. */
  put(resource: string, key: string, object: KubeObject): KubeObject {
    const type = this.#table(resource).get(key) ? 'MODIFIED' : 'ADDED'
    return this.#write({ resource, key, type }, object)
  }

  /** Removes an object. `last` is the state that the deletion event shows. */
  remove(resource: string, key: string, last: KubeObject): KubeObject {
    return this.#write({ resource, key, type: 'DELETED' }, last)
  }

  /** Returns the changes of a resource after a revision that is not compacted, oldest first. */
  changesSince(resource: string, revision: number): Change[] {
    return this.#history.since(resource, revision)
  }

  /** Calls the listener for every later change of the resource; returns what ends that. */
  subscribe(resource: string, listener: ChangeListener): () => void {
    const subscriptions = this.#subscriptions.get(resource) ?? new Set()
    this.#subscriptions.set(resource, subscriptions)
    const subscription = { listener, after: this.#revision }
    subscriptions.add(subscription)
    return () => subscriptions.delete(subscription)
  }

  /** Waits until the store has come to the revision; false when it has not within so many milliseconds. */
  async reached(revision: number, milliseconds: number): Promise<boolean> {
    if (this.#revision >= revision) return true
    return await new Promise<boolean>((resolve) => {
      const waiter: Waiter = { revision, done: () => finish(true) }
      const finish = (result: boolean) => {
        clearTimeout(timer)
        this.#waiters.delete(waiter)
        resolve(result)
      }
      // A waiting client has a connection, which keeps the process alive while it is open.
      const timer = setTimeout(() => finish(false), milliseconds).unref()
      this.#waiters.add(waiter)
    })
  }

  /** Resolves once all that was written is durable; undefined if it is. Rejects when that has failed. */
  durable(): Promise<void> | undefined {
    return this.#failure ? Promise.reject(this.#failure) : this.#batch?.done.promise
  }

  /** Makes all that was written durable now; false when that has failed. */
  flush(): boolean {
    const batch = this.#batch
    if (batch === undefined || this.#failure) return this.#failure === undefined
    clearImmediate(batch.timer)
    this.#batch = undefined
    try {
      this.#backend.commit()
      batch.done.resolve()
      return true
    } catch (error) {
      this.#fail(error, batch)
      return false
    }
  }

  close(): void {
    this.flush()
    this.#backend.close()
  }

  #write({ resource, key, type }: Pick<Change, 'resource' | 'key' | 'type'>, state: KubeObject): KubeObject {
    if (this.#failure) throw this.#failure
    const revision = this.#revision + 1
    const object = withRevision(state, revision)
    const stored = new StoredObject(key, jsonText(object), object)
    const table = this.#table(resource)
    const change = new RecordedChange({ revision, resource, type }, stored, table.get(key))
    this.#append(change)
    this.#revision = revision
    if (type === 'DELETED') table.delete(key)
    else table.set(stored)
    this.#compact(this.#history.append(change))
    this.#deliver(change)
    return object
  }

  #append(change: StoredChange): void {
    try {
      this.#backend.append(change)
    } catch (error) {
      throw this.#fail(error, this.#batch)
    }
    this.#batch ??= this.#openBatch()
  }

  #openBatch(): Batch {
    const done = Promise.withResolvers<void>()
    // The error may have no listener yet; the next write throws it as well.
    done.promise.catch(() => undefined)
    return { done, timer: setImmediate(() => this.flush()) }
  }

  /** Fails for good. What is in memory may not be on the disk, so that nothing is served from here on. */
  #fail(error: unknown, batch: Batch | undefined): Error {
    const why = error instanceof Error ? error.message : String(error)
    this.#failure = internal(`failed to write to the storage: ${why}; start again once that is repaired`)
    batch?.done.reject(this.#failure)
    this.#onError(error)
    return this.#failure
  }

  #compact(revision: number | undefined): void {
    if (revision === undefined) return
    try {
      this.#backend.compact(revision)
    } catch (error) {
      this.#fail(error, this.#batch)
    }
  }

  #deliver(change: RecordedChange): void {
    this.#undelivered.push(change)
    // A listener has written: the loop that called it continues with this change.
    if (this.#undelivered.length > 1) return
    try {
      for (const next of this.#undelivered) this.#callListeners(next)
    } finally {
      this.#undelivered.length = 0
    }
  }

  #callListeners(change: RecordedChange): void {
    const { resource, revision } = change
    for (const subscription of this.#subscriptions.get(resource) ?? []) {
      if (subscription.after < revision) this.#call(subscription, change)
    }
    for (const waiter of this.#waiters) if (waiter.revision <= revision) waiter.done()
  }

  /** Calls a listener. The write is stored, whatever the listener does. */
  #call({ listener }: Subscription, change: RecordedChange): void {
    try {
      listener(change)
    } catch (error) {
      this.#onError(error)
    }
  }

  #table(resource: string): SortedTable {
    const known = this.#tables.get(resource)
    if (known) return known
    const table = new SortedTable()
    this.#tables.set(resource, table)
    return table
  }
}

function uncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}

function pastChange({ revision, resource, key, type, json, previous }: PastChange): RecordedChange {
  const before = previous === undefined ? undefined : new StoredObject(key, previous)
  return new RecordedChange({ revision, resource, type }, new StoredObject(key, json), before)
}

function withRevision(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: placeRevision(object.metadata, String(revision)) }
}

/** Puts resourceVersion after uid, its place on the wire; a new member would otherwise come last. */
function placeRevision(metadata: KubeObject['metadata'], resourceVersion: string): KubeObject['metadata'] {
  if ('resourceVersion' in metadata) return { ...metadata, resourceVersion }
  const { name, generateName, namespace, selfLink, uid, ...rest } = metadata
  const first = { name, generateName, namespace, selfLink, uid, resourceVersion }
  return { ...Object.fromEntries(Object.entries(first).filter(([, value]) => value !== undefined)), ...rest }
}
