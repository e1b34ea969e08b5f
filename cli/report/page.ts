import { printable } from '../../shared/telemetry/index.ts'
import { STYLE } from './style.ts'

interface Page {
  readonly title: string
  /** Summary of the page, in a sentence or two. */
  readonly lead: string
  readonly sections: readonly Html[]
}

/**
 * Renders a page in one file that loads nothing. Its content security policy allows no script and no
 * connections, so a browser runs nothing even if a name evades the escaping.
 */
export function renderPage({ title, lead, sections }: Page): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${{ html: policy }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${lead}</p>
${sections}
</main>
<footer>Made by sliceflow. Below each chart a table says the same.</footer>
</body>
</html>
`.html
}

export interface Figure {
  readonly title: string
  /** How to read the figure, and what it omits. */
  readonly note: string
  readonly drawing: Html
  readonly legend?: readonly LegendItem[]
  /** The same data as a table, for screen readers. */
  readonly table: Table
  /** Whether the table is open from the start because it matters most. */
  readonly isTableOpen?: boolean
}

export interface LegendItem {
  readonly name: string
  readonly colour: string
}

/** Renders a section of a page: heading, chart and data table. */
export const renderFigure = ({ title, note, drawing, legend = [], table, isTableOpen }: Figure): Html => html`
<section>
<h2>${title}</h2>
<p>${note}</p>
<figure aria-label="${title}">
${legend.length === 0 ? undefined : renderLegend(legend)}
${drawing}
<details${isTableOpen ? { html: ' open' } : undefined}><summary>${`As a table: ${title}`}</summary>${renderTable(title, table)}
</details>
</figure>
</section>
`

const renderLegend = (items: readonly LegendItem[]): Html => html`
<ul class="legend">${items.map(({ name, colour }) => html`<li><i style="background: ${colour}"></i>${name}</li>`)}</ul>`

interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Whether the cells are words, not numbers; words are aligned to the left. */
  readonly isText?: boolean
}

/** Maximum number of columns that a phone lists below one another. A wider table scrolls. */
const MAX_LISTED = 12

/**
 * Renders a table that scrolls by itself, also by keyboard. On a phone, a row of numbers becomes a list of
 * cells, each with its column's name.
 */
const renderTable = (caption: string, { columns, rows, isText }: Table): Html => {
  const isListed = !isText && columns.length <= MAX_LISTED
  const classes = isText ? 'words' : isListed ? 'listed' : undefined
  const label = (column: number): Html | undefined =>
    isListed ? html` data-label="${columns[column + 1]}"` : undefined
  return html`
<div class="scroll" role="region" tabindex="0" aria-label="${`Table: ${caption}`}">
<table${classes === undefined ? undefined : html` class="${classes}"`}>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([head = '', ...cells]) => html`
<tr><th scope="row">${head}</th>${cells.map((cell, column) => html`<td${label(column)}>${cell}</td>`)}</tr>`,
  )}</tbody>
</table>
</div>`
}

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
