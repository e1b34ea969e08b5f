import { SERVICE_OWNER } from '../slice-owner.ts'
import type { AnyEndpointSlice } from '../types.ts'

export interface SliceTrackerOptions {
  /** Milliseconds that a read may lag behind a write; the expectation then lapses. Default 30,000. */
  readonly expiryMs?: number
  /** The clock, in milliseconds. Default Date.now. */
  readonly now?: () => number
}

/** A read must show this version, or one after it; `undefined`: the slice must be gone. */
interface Expectation {
  readonly name: string
  readonly version: string | undefined
  readonly expires: number
}

const DEFAULT_EXPIRY_MS = 30_000

/**
 * Tracks, for controllers that plan from a cache, whether the cache shows what they wrote themselves, so that
 * they do not write the same again. Where slices are read from the API server each time, it is not needed.
 *
 * Expectations lapse. Upstream's tracker waits for ever for a slice that lost its managed-by label or was
 * deleted by somebody else ("EndpointSlice informer cache is out of date"); here planning goes on after
 * `expiryMs` at the latest, and conditional writes catch what was stale after all.
 * @example
 * ```ts
 * const tracker = new SliceTracker()
 * const labels = { 'kubernetes.io/service-name': 'web' }
 * const metadata = { name: 'web-1', namespace: 'shop', uid: 'u1', labels }
 * tracker.written({ metadata: { ...metadata, resourceVersion: '8' }, addressType: 'IPv4', endpoints: [] })
 * const read = { ...metadata, resourceVersion: '7' }
 * const slices = [{ metadata: read, addressType: 'IPv4' as const, endpoints: [] }]
 * tracker.stale({ namespace: 'shop', name: 'web' }, slices) // => ['web-1']
 * ```
 */
export class SliceTracker {
  readonly #expiryMs: number
  readonly #now: () => number
  /** Expectations by Service, then by the slice's uid. */
  readonly #expected = new Map<string, Map<string, Expectation>>()

  constructor({ expiryMs = DEFAULT_EXPIRY_MS, now = Date.now }: SliceTrackerOptions = {}) {
    this.#expiryMs = expiryMs
    this.#now = now
  }

  /** Notes that a slice was written, as the API server answered it. */
  written(slice: AnyEndpointSlice): void {
    this.#expect(slice, slice.metadata?.resourceVersion ?? '')
  }

  /** Notes that a slice was deleted, as it was read. */
  deleted(slice: AnyEndpointSlice): void {
    this.#expect(slice, undefined)
  }

  /**
   * Lists the names of slices that a read of a Service's slices shows in an older state than was written;
   * none if the read may be used for planning. It forgets expectations that the read has met, and those that
   * have lapsed.
   */
  stale(
    service: { readonly namespace: string; readonly name: string },
    slices: readonly AnyEndpointSlice[],
  ): string[] {
    const key = `${service.namespace}/${service.name}`
    const expected = this.#expected.get(key)
    if (expected === undefined) return []
    const versions = new Map(
      slices.map(({ metadata }) => [metadata?.uid ?? '', metadata?.resourceVersion ?? '']),
    )
    const now = this.#now()
    const stale: string[] = []
    for (const [uid, { name, version, expires }] of expected) {
      if (expires > now && !isCaughtUp(versions.get(uid), version)) stale.push(name)
      else expected.delete(uid)
    }
    if (expected.size === 0) this.#expected.delete(key)
    return stale
  }

  /** Forgets a Service; to be called when it is gone. */
  forget(service: { readonly namespace: string; readonly name: string }): void {
    this.#expected.delete(`${service.namespace}/${service.name}`)
  }

  #expect(slice: AnyEndpointSlice, version: string | undefined): void {
    const { namespace = '', name = '', uid = '' } = slice.metadata ?? {}
    const key = `${namespace}/${SERVICE_OWNER.nameOf(slice)}`
    const expected = this.#expected.get(key) ?? new Map<string, Expectation>()
    this.#expected.set(key, expected.set(uid, { name, version, expires: this.#now() + this.#expiryMs }))
  }
}

function isCaughtUp(read: string | undefined, expected: string | undefined): boolean {
  if (read === undefined || expected === undefined) return read === expected
  return compareVersions(read, expected) >= 0
}

/**
 * Compares versions. Those of one kind of object in one cluster are numbers that grow (KEP-5504); of others
 * only equality is known.
 * @example
 * ```ts
 * compareVersions('99', '100') // => -1
 * compareVersions('100', '99') // => 1
 * ```
 */
export function compareVersions(a: string, b: string): number {
  if (a === b) return 0
  const areNumbers = /^\d+$/.test(a) && /^\d+$/.test(b)
  return areNumbers && BigInt(a) > BigInt(b) ? 1 : -1
}
