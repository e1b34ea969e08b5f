/** Text of others gets into the page as text only: nothing here, or anywhere else, takes it for HTML. */

const SVG = 'http://www.w3.org/2000/svg'

export const byId = (id) => document.getElementById(id)

/** Leaves what does not change alone, so that whoever reads or has selected it is not disturbed. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text
}

export function setAttribute(node, name, value) {
  if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value)
}

/** Children are elements, and texts. */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children)
}

export function svgElement(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children)
}

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value)
  node.append(...children)
  return node
}

/**
 * Fills a table's body, each row a list of texts, the first of them its heading. Each cell knows its column,
 * which stands beside it on a phone.
 */
export function setRows(body, rows) {
  const [{ cells: columns }] = body.parentElement.tHead.rows
  while (body.rows.length > rows.length) body.deleteRow(-1)
  rows.forEach((texts, index) => {
    const row = body.rows[index] ?? body.insertRow()
    texts.forEach((text, column) => {
      const cell = row.cells[column] ?? row.appendChild(cellOf(column, columns))
      setText(cell, text)
    })
  })
}

const cellOf = (column, columns) =>
  column === 0
    ? element('th', { scope: 'row' })
    : element('td', { 'data-label': columns[column].textContent })
