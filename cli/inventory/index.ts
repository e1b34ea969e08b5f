export {
  type ClusterInventory,
  type Inventory,
  type LeftBehind,
  readInventory,
  sampleOf,
} from './read-inventory.ts'
