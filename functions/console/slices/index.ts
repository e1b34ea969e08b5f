export { ChosenSlices, type ChosenSlicesOptions, parseChoice } from './chosen-slices.ts'
export type { SlicesPicture } from './slice-watch.ts'
