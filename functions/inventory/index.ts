export {
  type ClusterInventory,
  type Inventory,
  type InventorySettings,
  type PausedService,
  readInventory,
  sampleOf,
} from './read-inventory.ts'
