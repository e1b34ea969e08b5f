export {
  type ClusterInventory,
  type Inventory,
  type InventorySettings,
  type LeftBehind,
  type PausedService,
  readInventory,
  sampleOf,
} from './read-inventory.ts'
