import { type Html, html } from './html.ts'

export interface Table {
  readonly columns: readonly string[]
  /** The first cell of a row is its heading. */
  readonly rows: readonly (readonly string[])[]
  /** True if the cells are words, not numbers: they are aligned to the left. */
  readonly isText?: boolean
}

/** Renders a table that scrolls by itself, also with the keyboard. */
export const renderTable = (caption: string, { columns, rows, isText }: Table): Html => html`
<div class="scroll" role="region" tabindex="0" aria-label="${`Table: ${caption}`}">
<table${isText ? { html: ' class="words"' } : undefined}>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map(
  ([head = '', ...cells]) => html`
<tr><th scope="row">${head}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`,
)}</tbody>
</table>
</div>`
