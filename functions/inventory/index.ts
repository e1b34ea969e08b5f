export type { ClusterInventory, PausedService } from './inventory.ts'
export { type Inventory, type InventorySettings, readInventory } from './read-inventory.ts'
export { sampleOf } from './sample.ts'
