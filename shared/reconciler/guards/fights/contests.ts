import { isSealed, slicesDigest, writerOf } from '../../../changes/index.ts'
import type { EndpointSlice } from '../../../endpointslice/index.ts'
import { BoundedCache } from '../../../values/index.ts'
import type { Changes } from '../../slice-changes.ts'
import { nameOf } from '../published/slice-annotations.ts'
import { hasFaded, quietTime, type Repairs, repaired } from './fight-backoff.ts'
import type { Fight } from './fights.ts'

/** A plan, and whose work it replaces. */
export interface Contest {
  /** What the plan is for, such as a key. */
  readonly of: string
  /** Computes a digest of what is wanted. */
  readonly wanted: () => string
  /** Slices that it writes, by name, or other objects, by kind and name; without any it is no contest. */
  readonly slices: readonly string[]
  /** Whose work it replaces, as of {@link Fight}; undefined where that is our own, or there is none. */
  readonly replaces: { readonly kind: 'edits' | 'writers'; readonly by: string | undefined } | undefined
}

interface Memory extends Repairs {
  readonly wanted: string
}

/** Only plans that replace others' work are remembered. */
const CONTESTS_AT_MOST = 10_000

/**
 * Remembers which plans this process wrote over the work of others. Two Sliceflows are both right by their
 * own settings, or by the ids that they know clusters by, so that no edit distinguishes them; and objects
 * other than slices have no seal that shows an edit. Without an end each would rewrite what the other one
 * wrote.
 *
 * A plan counts as often as it is written over another writer's work and was our last plan already: then
 * somebody has undone it, and nothing that it is made of has changed. So a restart with other settings writes
 * once, and a real change never waits. Another process counts for itself.
 */
export class Contests {
  readonly #now: () => number
  readonly #memories = new BoundedCache<string, Memory>({ maxSize: CONTESTS_AT_MOST })

  constructor(now: () => number) {
    this.#now = now
  }

  /** Returns for how long a plan is not written again; undefined where it may be. */
  fight({ of, replaces, wanted, slices }: Contest): Fight | undefined {
    if (replaces === undefined || !this.#memories.has(of)) return undefined
    const memory = this.#memoryOf(of, wanted())
    const quietMs = memory === undefined ? 0 : memory.last + quietTime(memory.count) - this.#now()
    return quietMs <= 0 ? undefined : { slices, opponent: replaces.by, kind: replaces.kind, quietMs }
  }

  /** Notes that a plan was written. */
  wrote({ of, replaces, wanted, slices }: Contest): void {
    if (slices.length === 0 || (replaces === undefined && !this.#memories.has(of))) return
    const text = wanted()
    const memory = this.#memoryOf(of, text)
    if (replaces !== undefined) this.#memories.set(of, { ...repaired(memory, this.#now()), wanted: text })
    else if (memory === undefined) this.#memories.delete(of)
  }

  /** Returns what is remembered of the same plan. */
  #memoryOf(of: string, wanted: string): Memory | undefined {
    const memory = this.#memories.get(of)
    return memory?.wanted === wanted && !hasFaded(memory, this.#now()) ? memory : undefined
  }
}

/**
 * Returns the contest of a plan of slices.
 * @param of what the plan is for
 * @param read the slices as they were read
 * @param writer our own name
 */
export function contestOf(
  of: string,
  read: readonly EndpointSlice[],
  changes: Changes,
  writer: string,
): Contest {
  const written = [...changes.create, ...changes.update]
  const names = [...written, ...changes.delete].map(nameOf)
  const replaced = new Set([...changes.update, ...changes.delete].map(nameOf))
  return {
    of,
    wanted: () => slicesDigest(written),
    slices: names,
    replaces: otherSliceflowAs(
      otherWriter(
        read.filter((slice) => replaced.has(nameOf(slice))),
        writer,
      ),
    ),
  }
}

/** @param by the writer of what is replaced; undefined where it is ours */
export const otherSliceflowAs = (by: string | undefined): Contest['replaces'] =>
  by === undefined ? undefined : { kind: 'writers', by }

/** Returns the writer of slices that are as another Sliceflow left them; undefined where there is none. */
export function otherWriter(slices: readonly EndpointSlice[], writer: string): string | undefined {
  for (const slice of slices) {
    const by = writerOf(slice)
    // The digest is asked last: nearly all slices are our own.
    if (by !== undefined && by !== writer && isSealed(slice)) return by
  }
  return undefined
}
