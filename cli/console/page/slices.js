import { byId, setAttribute, setRows, setText, svgElement } from './dom.js'
import { counted, numberText } from './texts.js'

/** In pixels, as the pages of reports have them. */
const [LABEL, COLUMN, ROW] = [110, 6, 14]
const LABEL_LENGTH = 14
const STATES = ['r', 'u', 't']

/** Draws a row for each slice, and a cell for each endpoint. @param picture absent: none is chosen */
export function showSlices(choice, picture) {
  setText(byId('slices-problem'), picture?.problem ?? '')
  byId('slices').hidden = picture?.slices === undefined
  if (choice === undefined) return
  const name = `${choice.service} of ${choice.cluster}`
  if (picture?.slices === undefined)
    return setText(byId('slices-note'), picture?.problem === undefined ? `${name}: reading its slices` : '')
  const { slices, hidden, endpoints } = picture
  const total = endpoints.r + endpoints.u + endpoints.t
  const ofEndpoints = `${counted(total, 'endpoint')}, ${numberText(endpoints.r)} ready`
  const foreign = slices.filter(({ manager }) => manager !== undefined).length
  const text = [
    `${name}: ${counted(slices.length + hidden, 'slice')}, ${ofEndpoints}`,
    ...(hidden > 0 ? [`the first ${slices.length} slices are shown`] : []),
    ...(foreign > 0 ? [`somebody else's: ${counted(foreign, 'slice')}, as the table tells`] : []),
  ].join('; ')
  setText(byId('slices-note'), text)
  drawCells(byId('slices').querySelector('svg'), slices, text)
  setRows(byId('slices').querySelector('tbody'), slices.map(rowOf))
}

function drawCells(svg, slices, text) {
  const columns = Math.max(1, ...slices.map(({ cells }) => cells.length))
  const [width, height] = [LABEL + columns * COLUMN, Math.max(1, slices.length) * ROW]
  setAttribute(svg, 'width', width)
  setAttribute(svg, 'height', height)
  setAttribute(svg, 'viewBox', `0 0 ${width} ${height}`)
  setAttribute(svg, 'aria-label', text)
  svg.replaceChildren(...slices.flatMap((slice, row) => drawRow(slice, row * ROW, columns)))
}

function drawRow({ name, cells, manager }, top, columns) {
  const paths = { r: '', u: '', t: '' }
  for (const [column, state] of [...cells].entries())
    paths[state] += `M${LABEL + column * COLUMN} ${top}h5v11h-5z`
  const title = svgElement('title', {}, manager === undefined ? name : `${name}, of ${manager}`)
  return [
    svgElement('text', { x: 0, y: top + 10 }, shortened(name), title),
    svgElement('rect', { class: 'room', x: LABEL, y: top, width: columns * COLUMN - 1, height: 11 }),
    ...STATES.map((state) => svgElement('path', { class: `state-${state}`, d: paths[state] })),
  ]
}

const rowOf = ({ name, cells, manager }) => [
  name,
  String(cells.length),
  ...STATES.map((state) => String([...cells].filter((cell) => cell === state).length)),
  manager ?? 'Sliceflow',
]

/** Slices of a Service differ by how their names end. */
const shortened = (name) => (name.length > LABEL_LENGTH ? `…${name.slice(1 - LABEL_LENGTH)}` : name)
