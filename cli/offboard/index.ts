export { type FoundSlice, type FoundSlices, findSlices } from './find-slices.ts'
export { OffboardError, removeSlices } from './remove-slices.ts'
