export {
  describe,
  entryOf,
  type Located,
  type LocatedEntry,
  type LocatedMap,
  onlyEntry,
  type Place,
  plain,
} from './located.ts'
export { Problems } from './problems.ts'
export { readYaml } from './yaml.ts'
