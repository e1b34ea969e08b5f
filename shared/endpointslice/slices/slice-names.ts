import { createHash } from 'node:crypto'
import { portSetKey } from '../endpoints/ports.ts'
import { MAX_NAME_LENGTH } from '../slice-owner.ts'
import type { EndpointSlice, Service } from '../types.ts'

/** Letters of the API server's generated names: no vowels, no look-alikes (apimachinery util/rand). */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'
const SUFFIX_LENGTH = 8

/**
 * Gives new slices names that follow from the Service, further labels, the address type, the port set and the
 * names in use, and from nothing else: two workers that read the same slices choose the same names whatever
 * pods they saw, so that the API server refuses the second create instead of keeping both.
 */
export class SliceNames {
  /** Fields that all names have in common. If one has no labels, its part is left out. */
  readonly #common: readonly unknown[]
  readonly #taken: ReadonlySet<string>
  /** The ordinals up to here are taken, by identity: a plan may need many names of one identity. */
  readonly #ordinals = new Map<string, number>()

  constructor(service: Service, taken: ReadonlySet<string>, labels: Readonly<Record<string, string>> = {}) {
    const further = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))
    this.#common = [service.metadata?.uid ?? '', ...further]
    this.#taken = taken
  }

  /** Takes the free name with the least ordinal. */
  next({ metadata, addressType, ports }: EndpointSlice): string {
    const identity = JSON.stringify([...this.#common, addressType, portSetKey(ports ?? [])])
    const from = this.#ordinals.get(identity) ?? 0
    const { name, ordinal } = freeName({ prefix: metadata?.generateName ?? '', identity, from }, this.#taken)
    this.#ordinals.set(identity, ordinal + 1)
    return name
  }
}

/** Determines names, with those that are taken. */
interface NameIdentity {
  readonly prefix: string
  readonly identity: string
  /** The first ordinal that may be free; default 0. */
  readonly from?: number
}

/** Finds the free name of this identity with the least ordinal. */
export function freeName(
  { prefix, identity, from = 0 }: NameIdentity,
  taken: ReadonlySet<string>,
): { readonly name: string; readonly ordinal: number } {
  const start = prefix.slice(0, MAX_NAME_LENGTH - SUFFIX_LENGTH)
  for (let ordinal = from; ; ordinal++) {
    const name = start + suffix(identity, ordinal)
    if (!taken.has(name)) return { name, ordinal }
  }
}

function suffix(identity: string, ordinal: number): string {
  const digest = createHash('sha256').update(`${identity}/${ordinal}`).digest()
  let letters = ''
  for (const byte of digest.subarray(0, SUFFIX_LENGTH)) letters += ALPHABET[byte % ALPHABET.length]
  return letters
}
