export { checkSlices } from '../../test/support/check-slices.ts'
export { readObjects, readSlices } from '../../test/support/cluster-state.ts'
export { makeNode, makePod, makeService } from '../../test/support/factories.ts'
export { createFakePods } from '../../test/support/fake-pods.ts'
