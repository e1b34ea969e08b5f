import { printable } from '../../shared/telemetry/index.ts'

/** Text that already is HTML. Only {@link html} and the chart code create it. */
export interface Html {
  readonly html: string
}

type Part = string | number | Html | undefined | readonly Part[]

/**
 * Fills a template of HTML: `html\`<td>${name}</td>\``. Escapes each value, in text and in quoted attributes,
 * because names come from users who may create objects in a cluster. Only {@link Html} is inserted
 * unchanged. `undefined` inserts nothing.
 */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: strings.map((text, index) => text + textOf(parts[index])).join(''),
})

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
