import { createHash } from 'node:crypto'
import { portSetKey } from './ports.ts'
import { MAX_NAME_LENGTH } from './slice-metadata.ts'
import type { EndpointSlice, Service } from './types.ts'

/** What the API server makes generated names of: no vowels and no look-alikes (apimachinery util/rand). */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'
const SUFFIX_LENGTH = 8

/**
 * Gives new slices names that follow from the Service, the address type, the port set and the names in use, and from
 * nothing else: two workers that read the same slices choose the same names whatever pods they saw, so that the API
 * server refuses the second create instead of keeping both.
 */
export class SliceNames {
  readonly #serviceUid: string
  readonly #taken: Set<string>

  constructor(service: Service, taken: Iterable<string>) {
    this.#serviceUid = service.metadata?.uid ?? ''
    this.#taken = new Set(taken)
  }

  /** The name with the least ordinal that is free; it is taken from then on. */
  next(slice: EndpointSlice): string {
    const prefix = (slice.metadata?.generateName ?? '').slice(0, MAX_NAME_LENGTH - SUFFIX_LENGTH)
    const identity = [this.#serviceUid, slice.addressType, portSetKey(slice.ports ?? [])]
    for (let ordinal = 0; ; ordinal++) {
      const name = prefix + suffix(JSON.stringify([...identity, ordinal]))
      if (this.#taken.has(name)) continue
      this.#taken.add(name)
      return name
    }
  }
}

function suffix(text: string): string {
  const digest = createHash('sha256').update(text).digest()
  let letters = ''
  for (const byte of digest.subarray(0, SUFFIX_LENGTH)) letters += ALPHABET[byte % ALPHABET.length]
  return letters
}
