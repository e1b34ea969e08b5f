import { createHash } from 'node:crypto'

/** 36 to the 25th is just above 2 to the 128th. */
const DIGITS = 25
const LENGTH = 6

/**
 * Returns a short name for a value, the same as Δ-controller's: the first 6 of the 25 base-36 digits of the
 * MD5 of its canonical JSON text. It distinguishes values in names; it protects nothing.
 */
export function hash(canonicalText: string): string {
  const digest = createHash('md5').update(canonicalText).digest('hex')
  return BigInt(`0x${digest}`).toString(36).padStart(DIGITS, '0').slice(0, LENGTH)
}
