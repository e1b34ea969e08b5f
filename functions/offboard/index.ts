export { type FindOptions, type FoundSlice, type FoundSlices, findSlices } from './find-slices.ts'
export { OffboardError, type RemovedSlices, type RemoveOptions, removeSlices } from './remove-slices.ts'
