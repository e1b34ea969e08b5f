import { type Html, html } from './html.ts'

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
