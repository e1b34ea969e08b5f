import { createHash } from 'node:crypto'
import { portSetKey } from './ports.ts'
import { MAX_NAME_LENGTH } from './slice-metadata.ts'
import type { EndpointSlice, Service } from './types.ts'

/**
 * Letters of which the API server makes generated names: no vowels and no look-alikes (apimachinery
 * util/rand).
 */
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
    const prefix = (metadata?.generateName ?? '').slice(0, MAX_NAME_LENGTH - SUFFIX_LENGTH)
    const identity = JSON.stringify([...this.#common, addressType, portSetKey(ports ?? [])])
    let ordinal = this.#ordinals.get(identity) ?? 0
    let name = prefix + suffix(identity, ordinal++)
    while (this.#taken.has(name)) name = prefix + suffix(identity, ordinal++)
    this.#ordinals.set(identity, ordinal)
    return name
  }
}

function suffix(identity: string, ordinal: number): string {
  const digest = createHash('sha256').update(`${identity}/${ordinal}`).digest()
  let letters = ''
  for (const byte of digest.subarray(0, SUFFIX_LENGTH)) letters += ALPHABET[byte % ALPHABET.length]
  return letters
}
