import { type PlotOptions, plot } from '@observablehq/plot'
import { parseHTML } from 'linkedom'
import { type Html, html } from './html.ts'
import { thinLabels } from './thin-labels.ts'

/**
 * Widths that a chart is drawn in, in pixels: scaled down, its text would be too small to be read on a phone.
 */
const WIDTHS = { wide: 720, narrow: 328 } as const

/**
 * Draws a chart without a browser, for wide screens and for narrow ones; the page shows one of them. Its
 * colours may be variables of the page's style.
 * @param label what it shows, for those who do not see it; the figures stand in the table beside it
 * @param optionsFor what is drawn in so many pixels
 */
export const renderChart = (label: string, optionsFor: (width: number) => PlotOptions): Html =>
  html`${Object.entries(WIDTHS).map(
    ([name, width]) => html`<div class="${name}">${draw(label, { width, ...optionsFor(width) })}</div>`,
  )}`

function draw(label: string, options: PlotOptions): Html {
  const { document } = parseHTML('<html></html>')
  const svg = plot({ style: { fontSize: '12px' }, ...options, document })
  thinLabels(svg, options.width ?? WIDTHS.wide)
  svg.setAttribute('role', 'img')
  svg.setAttribute('aria-label', label)
  return { html: svg.outerHTML }
}
