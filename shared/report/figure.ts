import { type Html, html } from './html.ts'
import { renderTable, type Table } from './table.ts'

export interface Figure {
  readonly title: string
  /** How to read the figure, and what it omits. */
  readonly note: string
  /** The drawing itself. */
  readonly drawing: Html
  /** Meaning of each colour. */
  readonly legend?: readonly LegendItem[]
  /** The same data as a table, for screen readers. */
  readonly table: Table
  /** Whether the table is open from the start because it matters most. */
  readonly isTableOpen?: boolean
}

export interface LegendItem {
  readonly name: string
  /** CSS colour. */
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
