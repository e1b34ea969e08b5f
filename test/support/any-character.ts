import fc from 'fast-check'

const LAST_CODE_POINT = 0x10ffff
/** Halves of pairs in UTF-16, which are no characters. */
const SURROGATES = { first: 0xd800, count: 0x800 }

/**
 * Makes units of `fc.string`: any code point but halves of surrogate pairs. fast-check's own `binary` is the
 * same, but makes a table of all of them first, which takes a second.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat(LAST_CODE_POINT - SURROGATES.count)
  .map((number) => String.fromCodePoint(codePointAt(number)), numberOf)

const codePointAt = (number: number): number =>
  number < SURROGATES.first ? number : number + SURROGATES.count

/** @throws Error for what is no character, as fast-check asks for it */
function numberOf(text: unknown): number {
  const codePoint = typeof text === 'string' ? text.codePointAt(0) : undefined
  if (codePoint === undefined || String.fromCodePoint(codePoint) !== text || !text.isWellFormed())
    throw new Error('it is not one character')
  return codePoint < SURROGATES.first ? codePoint : codePoint - SURROGATES.count
}
