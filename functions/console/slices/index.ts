export { parseChoice } from './chosen-service.ts'
export { type ChosenSlices, type ChosenSlicesOptions, createChosenSlices } from './chosen-slices.ts'
export type { SlicesPicture } from './slice-watch.ts'
