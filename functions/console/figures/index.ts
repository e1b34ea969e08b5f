export { createFigures, type Figures, type FiguresOptions, type FiguresReading } from './figures.ts'
