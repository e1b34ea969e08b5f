/** Bounds of upstream's apiserver/pkg/endpoints/filters/warning.go, in characters. */
const MOST_TOGETHER = 4 * 1024
const MOST_EACH = 256

/**
 * Returns the values of `Warning` headers, each text once. If they are too long together, each is cut, and
 * those that are still too many are left out. Texts with control characters are left out too. Characters
 * beyond ASCII are sent as UTF-8.
 */
export function warningHeaders(warnings: readonly string[]): string[] {
  const texts = [...new Set(warnings)].filter((text) => text !== '' && !CONTROL.test(text))
  const total = texts.reduce((sum, text) => sum + [...text].length, 0)
  const shown = total > MOST_TOGETHER ? withinBounds(texts) : texts
  return shown.map((text) => `299 - "${inLatin1(text.replaceAll(/["\\]/g, '\\$&'))}"`)
}

const CONTROL = /\p{Cc}/u

function withinBounds(texts: readonly string[]): string[] {
  const shown: string[] = []
  let length = 0
  for (const text of texts) {
    if (length >= MOST_TOGETHER) break
    const characters = [...text].slice(0, MOST_EACH)
    length += characters.length
    shown.push(characters.join(''))
  }
  return shown
}

/** Encodes UTF-8 in characters. Node writes each character of a header as a byte. */
const inLatin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
