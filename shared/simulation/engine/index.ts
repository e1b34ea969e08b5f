export type { BatchSettings } from './event-source.ts'
export type { RunMeasures, WriteMeasures } from './measures.ts'
export {
  BATCHES,
  type SimulatedSettings,
  type SimulationObserver,
  type SimulationOptions,
  type SimulationResult,
  simulate,
  type Watching,
} from './simulate.ts'
