/** Characters that Go, and so CEL, escapes by a letter or by themselves. */
export const GO_ESCAPES: Readonly<Record<string, string>> = {
  '"': String.raw`\"`,
  '\\': String.raw`\\`,
  '\u0007': String.raw`\a`,
  '\b': String.raw`\b`,
  '\f': String.raw`\f`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
  '\v': String.raw`\v`,
}
/** Characters that Go escapes: all but letters, marks, numbers, punctuation, symbols and ASCII's space. */
const ESCAPED = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu

/**
 * Quotes a text as Go's `%q` writes it (strconv.Quote), which kube-apiserver's messages have around what
 * clients sent. Unlike in JSON control characters are `\x01`, and what cannot be seen, as a no-break space,
 * is escaped too. Half of a surrogate pair is the U+FFFD that Go reads it as.
 */
export function quoted(text: string): string {
  return `"${text.toWellFormed().replace(ESCAPED, escaped)}"`
}

function escaped(character: string): string {
  const short = GO_ESCAPES[character]
  if (short !== undefined) return short
  const code = character.codePointAt(0) ?? 0
  const [letter, width] = code < 0x80 ? ['x', 2] : code <= 0xffff ? ['u', 4] : ['U', 8]
  return `\\${letter}${code.toString(16).padStart(Number(width), '0')}`
}
