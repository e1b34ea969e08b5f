import fc from 'fast-check'

const LAST_CODE_POINT = 0x10ffff

/**
 * Makes units of `fc.string`: any code point, also half of a surrogate pair. fast-check's own `binary` is the
 * same, but makes a table of all of them first, which takes a second.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat(LAST_CODE_POINT)
  .map((codePoint) => String.fromCodePoint(codePoint), codePointOf)

/** @throws Error for what is no character, as fast-check asks for it */
function codePointOf(text: unknown): number {
  const codePoint = typeof text === 'string' ? text.codePointAt(0) : undefined
  if (codePoint === undefined || String.fromCodePoint(codePoint) !== text)
    throw new Error('it is not one character')
  return codePoint
}
