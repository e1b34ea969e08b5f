import { type Html, html } from './html.ts'
import { renderTable, type Table } from './table.ts'

export interface Figure {
  readonly title: string
  /** How it is read, and what it leaves out. */
  readonly note: string
  /** What is drawn. */
  readonly drawing: Html
  /** What each colour means. */
  readonly legend?: readonly LegendItem[]
  /** The same as a table, which a screen reader has instead. */
  readonly table: Table
  /** The table is what matters, and is open. */
  readonly isTableOpen?: boolean
}

export interface LegendItem {
  readonly name: string
  /** In CSS. */
  readonly colour: string
}

/** A section of a page: heading, chart, and the table behind it. */
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
