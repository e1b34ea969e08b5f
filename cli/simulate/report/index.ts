export { type MatrixReport, matrixPage } from './matrix-page.ts'
export { presetPage } from './preset-page.ts'
export { scalePage } from './scale-page.ts'
