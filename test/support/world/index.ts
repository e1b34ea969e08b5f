export { type CheckInput, checkSlices } from './check-slices.ts'
export { type ClusterObjects, readObjects, readSlices } from './cluster-state.ts'
export { expectedSelection, SELECTOR_ANNOTATION, type SelectionMode } from './expected-selection.ts'
export { OF_SELECTORS, serviceOf } from './expected-selectors.ts'
export { type ExpectedEndpoint, type ExpectedOwner, expectedSlices, portText } from './expected-slices.ts'
export {
  makeNode,
  makePod,
  makePodStatus,
  makeService,
  makeSlice,
  type PodInput,
  type PodStatusInput,
  rfc3339Seconds,
  type ServiceInput,
  type SliceInput,
} from './factories.ts'
export { createFakePods, type FakePods, type PodRef } from './fake-pods.ts'
export { checkUntouched, type SliceSnapshot, snapshotSlices } from './foreign-slices.ts'
