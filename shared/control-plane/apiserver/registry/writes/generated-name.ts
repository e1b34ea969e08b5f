import { randomInt } from 'node:crypto'

/** No vowels and nothing that looks like another character, so that no words come out. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'
const SUFFIX = 5
const LONGEST = 63

/** Returns the prefix, cut if needed, and five random characters: 63 at most. */
export function generatedName(prefix: string): string {
  let name = prefix.slice(0, LONGEST - SUFFIX)
  for (let index = 0; index < SUFFIX; index++) name += ALPHABET[randomInt(ALPHABET.length)]
  return name
}
