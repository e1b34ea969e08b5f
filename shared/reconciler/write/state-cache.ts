import {
  type KeyText,
  keyText,
  newerOf,
  type ReadAhead,
  type ServiceKey,
  type SyncHint,
} from '../../changes/index.ts'
import {
  type ApplyResult,
  compareVersions,
  type EndpointSlice,
  type Service,
} from '../../endpointslice/index.ts'
import type { ApiObject } from '../../kubernetes/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import { BoundedCache, isRecent } from '../../values/index.ts'
import { slicesAfter, slicesByName } from '../guards/published/published-addresses.ts'

/** The relay's watch may not have delivered a write of this age, in milliseconds; it usually lags less. */
export const UNSEEN_WRITE_MS = 5_000

/** A Service and slices of it; the Service is at least as new as the one that the slices were written for. */
export interface HintedState {
  readonly service: Service
  readonly slices: readonly EndpointSlice[]
}

export interface CachedState extends HintedState {
  /** The newest Pods by which this process has synced the Service. Absent: it is not known. */
  readonly podsVersion?: string | undefined
  /** Names of the slices that this process has last written from facts, of Pods no newer than these. */
  readonly byFacts?: ReadonlySet<string>
}

export interface TakenState extends Pick<CachedState, 'podsVersion'> {
  /** Whether this process has synced the Service: it may have created slices that the relay had not seen. */
  readonly isCached: boolean
  /** All slices of the Service, if they are those that the relay names, and none else. */
  readonly slices?: readonly EndpointSlice[] | undefined
}

interface Cached<T> {
  readonly object: T
  readonly readAt: number
}

interface CachedSlice extends Cached<EndpointSlice> {
  readonly isByFacts: boolean
}

interface CachedService {
  readonly history: string | undefined
  readonly podsVersion: string | undefined
  readonly service: Cached<Service>
  readonly slices: ReadonlyMap<string, CachedSlice>
}

const MAX_BYTES = 12 * 2 ** 20

/**
 * Caches what syncs have read and written, so that the next hinted sync of the same Service need not read it.
 * The relay verifies what that writes: whatever another writer writes meanwhile comes back as a change. A
 * cached object counts as read as long as
 * 1. it was cached for a message with the same history;
 * 2. the Service and each slice have the version that the message names, or a newer one that was read or
 *    written in the last 5 seconds: the relay's watch may not have reached it yet;
 * 3. all of it is cached: a slice that is read again may be written for a newer Service than the
 *    cached one.
 * Writes are conditional, so a slice that is not as it was cached makes a conflict, and is then read.
 */
export class StateCache {
  readonly #now: () => number
  readonly #services = new BoundedCache<KeyText, CachedService>({ maxSize: MAX_BYTES })

  /** @param now milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Returns the Service and the slices that the hint names; `undefined` if one of them must be read. */
  find(key: KeyMessage, hint: SyncHint): CachedState | undefined {
    const cached = this.#find(key)
    if (cached === undefined || !this.#isCurrent(cached.service, key.serviceVersion)) return undefined
    const slices = this.#slices(cached, hint)
    if (slices === undefined) return undefined
    const { podsVersion } = cached
    const byFacts = new Set(hint.slices.filter((name) => cached.slices.get(name)?.isByFacts))
    return { service: cached.service.object, slices, podsVersion, byFacts }
  }

  /** Forgets a Service that is to be synced as a whole, and returns what may be used of it. */
  take(key: KeyMessage, { slices: names, sliceVersions }: Partial<ReadAhead> = {}): TakenState {
    const cached = this.#find(key)
    this.forget(key)
    if (cached === undefined) return { isCached: false }
    const areAll = names?.length === cached.slices.size
    const slices = areAll ? this.#slices(cached, { slices: names, sliceVersions }) : undefined
    return { isCached: true, slices, podsVersion: cached.podsVersion }
  }

  #find({ history, ...key }: KeyMessage): CachedService | undefined {
    const cached = this.#services.get(keyText(key))
    return cached?.history === history ? cached : undefined
  }

  #slices(
    cached: CachedService,
    { slices: names, sliceVersions }: Pick<SyncHint, 'slices' | 'sliceVersions'>,
  ): readonly EndpointSlice[] | undefined {
    const slices: EndpointSlice[] = []
    for (const [index, name] of names.entries()) {
      const slice = cached.slices.get(name)
      if (slice === undefined || !this.#isCurrent(slice, sliceVersions?.[index])) return undefined
      slices.push(slice.object)
    }
    return slices
  }

  /**
   * @param state slices that were read first, or written; others of the same Service stay cached
   * @param byFacts whether the sync has planned by the facts of its message
   */
  keep(key: KeyMessage, { service, slices }: HintedState, byFacts = false): void {
    const text = keyText(key)
    const { history } = key
    const known = this.#services.get(text)
    const before = known?.history === history ? known : undefined
    const isSame = before?.service.object.metadata?.uid === service.metadata?.uid
    const all = new Map(isSame ? before?.slices : [])
    for (const slice of slices) {
      const name = slice.metadata?.name ?? ''
      const known = all.get(name)
      const entry = this.#entryOf(slice, known)
      all.set(name, entry === known ? known : { ...entry, isByFacts: byFacts })
    }
    // Facts of a later message may be older than the Pods of this one.
    if (key.podsVersion === undefined)
      for (const [name, entry] of all) all.set(name, { ...entry, isByFacts: false })
    const objects = [service, ...all.values().map(({ object }) => object)]
    const size = objects.reduce((sum, object) => sum + bytesOf(object), 0)
    // A sync by Pods of an unknown version leaves none.
    const podsVersion = newerOf(before?.podsVersion, key.podsVersion) ?? key.podsVersion
    const entry = { history, podsVersion, service: this.#entryOf(service, before?.service), slices: all }
    this.#services.set(text, entry, { size })
  }

  /** Forgets a Service. Call this when a write shows that something else is there. */
  forget(key: ServiceKey): void {
    this.#services.delete(keyText(key))
  }

  /** Stores the time at which an object was read. A sync that took it from here has not read it again. */
  #entryOf<T>(object: T, known: Cached<T> | undefined): Cached<T> {
    return known?.object === object ? known : { object, readAt: this.#now() }
  }

  #isCurrent({ object, readAt }: Cached<ApiObject>, version: string | undefined): boolean {
    const known = object.metadata?.resourceVersion
    if (version === undefined || known === undefined) return false
    const isUnseen = compareVersions(known, version) > 0 && isRecent(readAt, UNSEEN_WRITE_MS, this.#now())
    return known === version || isUnseen
  }
}

/** Returns what is known of a Service once a sync has written. */
export function stateAfter(
  service: Service,
  slices: readonly EndpointSlice[],
  { created, updated, deleted }: ApplyResult,
): HintedState {
  const changes = { create: created, update: updated, delete: deleted }
  return { service, slices: [...slicesAfter(slicesByName(slices), changes).values()] }
}

const BYTES_AN_ENDPOINT = 600
const BYTES_AN_OBJECT = 2_000

/** Holds the members of an object that others make as large as they like; a server may send null for any. */
type Sized = ApiObject & {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, unknown>> | null | undefined }
  readonly endpoints?: readonly unknown[] | null | undefined
}

/** Estimates the memory in bytes that an object takes, by its endpoints and the text of its annotations. */
export function bytesOf({ metadata, endpoints }: Sized): number {
  const annotations = Object.values(metadata?.annotations ?? {}).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 0),
    0,
  )
  return BYTES_AN_OBJECT + BYTES_AN_ENDPOINT * (endpoints?.length ?? 0) + annotations
}
