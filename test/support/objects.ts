export {
  makeNode,
  makePod,
  makePodStatus,
  makeService,
  makeSlice,
  type SliceInput,
} from './world/index.ts'
