export type { BatchSettings } from './event-source.ts'
export type { RunMeasures, WriteMeasures } from './measures.ts'
export { BATCHES, type SimulationOptions, type SimulationResult, simulate } from './simulate.ts'
