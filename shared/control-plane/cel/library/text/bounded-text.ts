import { CelError } from '../../errors.ts'

/** Longest text that a function makes, in UTF-16 units. */
export const LONGEST_TEXT = 1_000_000

/** Returns the text; throws CelError if it is too long. */
export function bounded(text: string): string {
  if (text.length > LONGEST_TEXT) throw tooLong()
  return text
}

export const tooLong = (): CelError => new CelError(`the text is longer than ${LONGEST_TEXT} characters`)
