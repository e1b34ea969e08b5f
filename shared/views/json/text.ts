import { compareText } from './compare.ts'
import type { Json } from './value.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/**
 * Returns the canonical JSON text of a value: members sorted by the bytes of their names, no spaces, and `<`,
 * `>`, `&`, U+2028 and U+2029 escaped, as Go's encoding/json writes it. Equal values have equal texts, and
 * only they.
 */
export function canonicalText(value: Json): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  const members = Object.entries(value).sort(([a], [b]) => compareText(a, b))
  return `{${members.map(([key, item]) => `${quote(key)}:${canonicalText(item)}`).join(',')}}`
}

const ESCAPED = /[<>&\u2028\u2029]/g

function quote(text: string): string {
  const quoted = JSON.stringify(text)
  return quoted.search(ESCAPED) < 0 ? quoted : quoted.replace(ESCAPED, (sign) => ESCAPES[sign] ?? sign)
}

/** Formats a value for messages: its JSON text, cut where it is long. */
export function excerpt(value: Json, length = 120): string {
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, length + 1)) : canonicalText(value)
  return text.length <= length ? text : `${text.slice(0, length)}…`
}
