import { ANNOTATION_SEAL } from '../../../changes/index.ts'
import type { ApplyResult, EndpointSlice, Service } from '../../../endpointslice/index.ts'
import { BoundedCache } from '../../../values/index.ts'
import { annotationOf, nameOf } from '../published/slice-annotations.ts'
import { hasFaded, type Repairs, repaired } from './fight-backoff.ts'

/** Owner of slices. Clusters that were made of one snapshot have Services of the same uid. */
export interface OwnerOf {
  readonly cluster: string
  /** The Service, or the Endpoints that are mirrored. */
  readonly owner: Pick<Service, 'metadata'>
}

type Written = Pick<ApplyResult, 'created' | 'updated'>

interface Memory {
  /** Slices that we made or marked, and that are not known to be lost. */
  readonly names: ReadonlySet<string>
  readonly losses: Repairs | undefined
  /** The Service's, when the slices were last read. */
  readonly version: string
  /** Time of the last write, in milliseconds. */
  readonly since: number
}

/** A slice that is lost later than this after it was made is an accident. */
const REMEMBERED_MS = 30 * 60_000
/** A fleet's first start makes slices for every Service; those that were made first are forgotten. */
const MAX_SERVICES = 10_000

/**
 * Remembers for which Services this process made slices lately, and how often others deleted all of them or
 * stripped them of their annotations: such slices cannot carry the count themselves. Another process counts
 * for itself, and a new one from nothing. Only the loss of all slices counts: a single one may have been
 * deleted by another worker, whereas no worker leaves a managed Service without any. Where the Service was
 * written meanwhile it may not have been ours for a while, and a worker have deleted them rightly: that is no
 * loss.
 */
export class DeletionFights {
  readonly #now: () => number
  readonly #memories: BoundedCache<string, Memory>

  constructor(now: () => number) {
    this.#now = now
    this.#memories = new BoundedCache({ maxSize: MAX_SERVICES, ttlMs: REMEMBERED_MS, now })
  }

  /**
   * Compares what is there with what was made.
   * @returns how often slices were lost in a row; `undefined` for never
   */
  repairsOf(of: OwnerOf, slices: readonly EndpointSlice[]): Repairs | undefined {
    const { key, version } = identityOf(of)
    const memory = this.#memories.get(key)
    if (memory === undefined) return undefined
    const lost = areLost(memory.names, slices)
    const isLoss = lost && version === memory.version
    const losses = isLoss ? repaired(memory.losses, this.#now()) : memory.losses
    const current = losses === undefined || hasFaded(losses, this.#now()) ? undefined : losses
    // A loss is counted once, however often it is found before the slices are made again.
    const names = lost ? new Set<string>() : memory.names
    const { since } = memory
    this.#memories.set(key, { version, names, losses: current, since }, { since })
    return current
  }

  /**
   * Notes what was written for the Service: slices that were made, and those that got our annotations.
   * @param before the slices as they were read
   */
  wrote(of: OwnerOf, before: readonly EndpointSlice[], { created, updated }: Written): void {
    const { key, version } = identityOf(of)
    const stripped = new Set(before.filter(isStripped).map(nameOf))
    const marked = [...created.map(nameOf), ...updated.map(nameOf).filter((name) => stripped.has(name))]
    if (marked.length === 0) return
    const { names = new Set<string>(), losses } = this.#memories.get(key) ?? {}
    this.#memories.set(key, { names: names.union(new Set(marked)), losses, version, since: this.#now() })
  }
}

/** Names the owner by its uid: the slices of an older one of the same name went with it. */
const identityOf = ({ cluster, owner: { metadata } }: OwnerOf): { key: string; version: string } => ({
  key: `${cluster} ${metadata?.uid ?? ''}`,
  version: metadata?.resourceVersion ?? '',
})

function areLost(names: ReadonlySet<string>, slices: readonly EndpointSlice[]): boolean {
  if (names.size === 0) return false
  return slices.length === 0 || slices.some((slice) => names.has(nameOf(slice)) && isStripped(slice))
}

/** Reports whether another writer removed our seal. Everything that we write has one. */
export const isStripped = (slice: EndpointSlice): boolean =>
  annotationOf(slice, ANNOTATION_SEAL) === undefined
