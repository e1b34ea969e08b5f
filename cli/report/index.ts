export { renderChart } from './chart.ts'
export { type Figure, type Html, html, type LegendItem, renderFigure, renderPage } from './page.ts'
