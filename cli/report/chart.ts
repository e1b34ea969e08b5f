import { type PlotOptions, plot } from '@observablehq/plot'
import { parseHTML } from 'linkedom'
import { type Html, html } from './page.ts'
import { thinLabels } from './thin-labels.ts'

/** Widths of a drawn chart, in pixels. A wide chart scaled down to a phone would have unreadable text. */
const WIDTHS = { wide: 720, narrow: 328 } as const

/**
 * Draws a chart without a browser, for wide and for narrow screens; the page shows one of them. Its colours
 * may be CSS variables of the page.
 * @param label description for screen readers; the table beside the chart has the figures
 * @param optionsFor plot options for a width in pixels
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
