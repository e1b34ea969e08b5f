export {
  makeNode,
  makePod,
  makePodStatus,
  makeService,
  makeSlice,
  type SliceInput,
} from '../../functions/demo/world/index.ts'
