import { printable } from '../telemetry/index.ts'

/** Text that is HTML already. Only {@link html} and what draws charts make it. */
export interface Html {
  readonly html: string
}

type Part = string | number | Html | undefined | readonly Part[]

/**
 * Fills a template of HTML: `html\`<td>${name}</td>\``. Each value is escaped, both as text and within quoted
 * attributes, as names come from whoever may create objects in a cluster; only {@link Html} is taken as it
 * is. `undefined` is nothing.
 */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: strings.map((text, index) => text + textOf(parts[index])).join(''),
})

/**
 * Writes data for a script to read, in a `script` element of the type application/json, which only `</` can
 * end.
 */
export const jsonHtml = (value: unknown): Html => ({ html: JSON.stringify(value).replaceAll('<', '\\u003c') })

function textOf(part: Part): string {
  if (part === undefined) return ''
  if (typeof part === 'string') return escapeHtml(printable(part))
  if (typeof part === 'number') return String(part)
  return 'html' in part ? part.html : part.map(textOf).join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
