export { renderChart } from './chart.ts'
export { type Figure, type LegendItem, renderFigure } from './figure.ts'
export { type Html, html } from './html.ts'
export { renderPage } from './page.ts'
