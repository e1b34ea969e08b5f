export { createFilm, type Film, type FilmedSlice, type Frame } from './film.ts'
export { SLICES_SCRIPT } from './script.ts'
export { renderSlices, type SlicesFigure } from './slices-figure.ts'
