export {
  type ChosenSlices,
  type ChosenSlicesOptions,
  createChosenSlices,
  parseChoice,
} from './chosen-slices.ts'
export type { SlicesPicture } from './slice-watch.ts'
