export { renderChart } from './chart.ts'
export { type Figure, type LegendItem, renderFigure } from './figure.ts'
export { type Html, html } from './html.ts'
export { type Page, renderPage } from './page.ts'
export {
  createFilm,
  type Film,
  type FilmedSlice,
  type Frame,
  renderSlices,
  SLICES_SCRIPT,
} from './slices/index.ts'
export type { Table } from './table.ts'
