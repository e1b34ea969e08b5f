import { byId, element, setAttribute, setRows, svgElement } from './dom.js'
import { clockText, durationText, numberText } from './texts.js'

/** Milliseconds that are shown, and from which on there is a gap between two samples. */
const SHOWN_MS = 120_000
const GAP_MS = 5_000
/** Between the labels of the vertical axis and the lines. */
const LABEL_GAP = 6
const [TOP, BOTTOM] = [8, 20]

const CHARTS = [
  {
    title: 'Writes a second',
    text: numberText,
    lines: [{ name: 'writes a second', of: ({ writes }) => writes }],
  },
  { title: 'Keys waiting', text: numberText, lines: [{ name: 'keys', of: ({ waiting }) => waiting }] },
  {
    title: 'Delay',
    text: durationText,
    lines: [
      { name: 'p50', of: ({ p50 }) => p50 },
      { name: 'p99', of: ({ p99 }) => p99 },
    ],
  },
]

/** @param samples the oldest first */
export function showCharts(samples) {
  const now = samples.at(-1)?.at ?? Date.now()
  for (const chart of charts) {
    draw(chart, samples, now)
    // Nobody reads what is closed.
    if (chart.details.open) setRows(chart.body, rowsOf(chart, samples))
  }
}

function draw({ title, text, lines, svg }, samples, now) {
  const { width, height } = svg.getBoundingClientRect()
  const values = samples.flatMap((sample) => lines.map(({ of }) => of(sample) ?? 0))
  const top = niceAbove(Math.max(0, ...values), text === durationText ? 0.01 : 2)
  const y = (value) => TOP + (1 - value / top) * (height - TOP - BOTTOM)
  const marks = [0, top / 2, top]
  const labels = marks.map((value) =>
    svgElement('text', { y: y(value) + 4, 'text-anchor': 'end' }, text(value)),
  )
  // They have to be drawn to be measured.
  svg.replaceChildren(...labels)
  const left = Math.max(...labels.map((label) => label.getComputedTextLength())) + LABEL_GAP
  for (const label of labels) setAttribute(label, 'x', left - LABEL_GAP)
  const x = (at) => left + ((at - now) / SHOWN_MS + 1) * (width - left - 4)
  setAttribute(svg, 'viewBox', `0 0 ${width} ${height}`)
  setAttribute(svg, 'aria-label', describe({ title, text, lines }, samples))
  svg.append(
    ...marks.map((value) =>
      svgElement('line', { class: 'grid', x1: left, x2: width - 4, y1: y(value), y2: y(value) }),
    ),
    svgElement('text', { x: left, y: height - 4 }, '2 min ago'),
    svgElement('text', { x: width - 4, y: height - 4, 'text-anchor': 'end' }, 'now'),
    ...lines.map(({ of }, index) =>
      svgElement('path', {
        class: `line line-${index + 1}`,
        d: pathOf(samples, (sample) => of(sample), { x, y }),
      }),
    ),
  )
}

function pathOf(samples, of, { x, y }) {
  let path = ''
  let lastAt = Number.NEGATIVE_INFINITY
  for (const sample of samples) {
    const value = of(sample)
    if (value === undefined) continue
    path += `${sample.at - lastAt > GAP_MS ? 'M' : 'L'}${x(sample.at).toFixed(1)} ${y(value).toFixed(1)}`
    lastAt = sample.at
  }
  return path
}

function describe({ title, text, lines }, samples) {
  const last = samples.at(-1)
  if (last === undefined) return `${title}: nothing yet`
  const most = (of) => Math.max(...samples.map((sample) => of(sample) ?? 0))
  const told = lines.map(({ name, of }) => `${name} ${text(of(last) ?? 0)} now, ${text(most(of))} at most`)
  return `${title}: ${told.join('; ')}`
}

/** Every tenth moment. */
function rowsOf({ text, lines }, samples) {
  return samples
    .filter((_, index) => (samples.length - 1 - index) % 10 === 0)
    .map((sample) => [
      clockText(sample.at),
      ...lines.map(({ of }) => (of(sample) === undefined ? '–' : text(of(sample)))),
    ])
    .reverse()
}

/** 1, 2 or 5 times a power of ten. */
function niceAbove(value, least) {
  if (value <= least) return least
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map((factor) => factor * power).find((nice) => nice >= value)
}

function createChart({ title, text, lines }) {
  const svg = svgElement('svg', { role: 'img' })
  const body = element('tbody')
  const table = element(
    'table',
    {},
    element('thead', {}, headings(['time', ...lines.map(({ name }) => name)])),
    body,
  )
  const details = element(
    'details',
    {},
    element('summary', {}, `As a table: ${title}`),
    scrolled(title, table),
  )
  const legend = lines.length > 1 ? [legendOf(lines)] : []
  const figure = element('figure', { 'aria-label': title }, element('h3', {}, title), svg, ...legend, details)
  byId('charts').append(figure)
  return { title, text, lines, svg, body, details }
}

const headings = (names) => element('tr', {}, ...names.map((name) => element('th', { scope: 'col' }, name)))

const scrolled = (title, table) =>
  element('section', { class: 'scroll', 'aria-label': `Table: ${title}` }, table)

const legendOf = (lines) =>
  element(
    'ul',
    { class: 'legend' },
    ...lines.map(({ name }, index) => element('li', {}, element('i', { class: `is-${index + 1}` }), name)),
  )

const charts = CHARTS.map(createChart)
