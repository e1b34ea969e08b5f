import {
  type ApiClient,
  apiVersionOf,
  type Backoff,
  backoffDelay,
  sleepUnlessAborted,
} from '../../../../kubernetes/index.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { resourceKey, type ServedResource } from '../controller-client.ts'
import { AGGREGATED_DISCOVERY, Discovered } from './discovered.ts'

type Follower = (resource: ServedResource) => () => void

interface Followed {
  readonly resource: ServedResource
  /** Functions that end what each follower has begun. */
  readonly ends: Map<Follower, () => void>
  /** Since when discovery has not had it, in milliseconds of the process' clock. */
  missingSince: number | undefined
}

/** Between two discoveries without a known change: as often as upstream's garbage collector. */
const INTERVAL_MS = 30_000
/** After a hint: discovery has a new definition a moment after it is established. */
const HINTED_MS = [100, 400, 1000, 3000]
/**
 * A resource that discovery does not have is gone after this time: a server that starts serves requests
 * before it knows all of its definitions, and dependents of resources that are not followed are unknown.
 */
const GONE_AFTER_MS = 30_000
const START_BACKOFF: Backoff = { baseMs: 500, capMs: 10_000 }

/** Resources of a server, as they come and go. */
export class RemoteResources {
  readonly #api: Pick<ApiClient, 'read'>
  readonly #signal: AbortSignal
  readonly #onError: (error: unknown) => void
  readonly #followers = new Set<Follower>()
  readonly #followed = new Map<string, Followed>()
  #discovered: Discovered | undefined
  #pauses: number[] = []
  #wake: (() => void) | undefined

  constructor(api: Pick<ApiClient, 'read'>, signal: AbortSignal, onError: (error: unknown) => void) {
    this.#api = api
    this.#signal = signal
    this.#onError = onError
  }

  /** Resolves once the server, asked repeatedly, has said what it has, or the signal aborts. */
  async start(): Promise<void> {
    for (let attempt = 0; this.#discovered === undefined && !this.#signal.aborted; attempt++) {
      const isKnown = await this.#refresh()
      if (!isKnown) await sleepUnlessAborted(backoffDelay(attempt, START_BACKOFF), this.#signal)
    }
    void this.#keepLooking()
  }

  get undiscovered(): readonly string[] {
    return this.#discovered?.undiscovered ?? []
  }

  find(key: string): ServedResource | undefined {
    return this.#discovered?.find(key)
  }

  ofKind(apiVersion: string, kind: string): ServedResource | undefined {
    return this.#discovered?.ofKind(apiVersion, kind)
  }

  follow(follower: Follower): () => void {
    this.#followers.add(follower)
    for (const { resource, ends } of this.#followed.values()) ends.set(follower, follower(resource))
    return () => {
      this.#followers.delete(follower)
      for (const { ends } of this.#followed.values()) {
        ends.get(follower)?.()
        ends.delete(follower)
      }
    }
  }

  /** Notes that something has changed that may change the resources. */
  hint(): void {
    this.#pauses = [...HINTED_MS]
    this.#wake?.()
  }

  /** Asks for the resources again. */
  async discover(): Promise<Discovered> {
    const documents = await Promise.all(
      ['/api', '/apis'].map((path) =>
        this.#api.read<JsonObject>(path, { accept: AGGREGATED_DISCOVERY, signal: this.#signal }),
      ),
    )
    return Discovered.read(documents)
  }

  async #keepLooking(): Promise<void> {
    while (!this.#signal.aborted) {
      await this.#pause(this.#pauses.shift() ?? INTERVAL_MS)
      if (!this.#signal.aborted) await this.#refresh()
    }
  }

  /** Pauses. A hint ends the pause, unless it follows another hint. */
  async #pause(milliseconds: number): Promise<void> {
    const ended = new AbortController()
    const isHinted = this.#pauses.length > 0
    this.#wake = isHinted ? undefined : () => ended.abort()
    await sleepUnlessAborted(milliseconds, AbortSignal.any([this.#signal, ended.signal]))
    this.#wake = undefined
  }

  /** Asks for the resources. Returns true if the server has named them. */
  async #refresh(): Promise<boolean> {
    try {
      this.#discovered = (await this.discover()).after(this.#discovered)
      this.#adjust(this.#discovered, performance.now())
      return true
    } catch (error) {
      if (!this.#signal.aborted) this.#onError(error)
      return false
    }
  }

  #adjust(discovered: Discovered, now: number): void {
    for (const [key, followed] of [...this.#followed]) {
      const found = discovered.find(key)
      if (found === undefined) {
        followed.missingSince ??= now
        if (now - followed.missingSince >= GONE_AFTER_MS) this.#drop(key, followed)
      } else {
        followed.missingSince = undefined
        if (!isSame(found, followed.resource)) this.#drop(key, followed)
      }
    }
    for (const resource of discovered.resources) {
      const key = resourceKey(resource)
      if (this.#followed.has(key)) continue
      const ends = new Map([...this.#followers].map((follower) => [follower, follower(resource)]))
      this.#followed.set(key, { resource, ends, missingSince: undefined })
    }
  }

  #drop(key: string, { ends }: Followed): void {
    this.#followed.delete(key)
    for (const end of ends.values()) end()
  }
}

const isSame = (a: ServedResource, b: ServedResource): boolean =>
  apiVersionOf(a) === apiVersionOf(b) &&
  a.kind === b.kind &&
  a.namespaced === b.namespaced &&
  a.verbs.join() === b.verbs.join()
