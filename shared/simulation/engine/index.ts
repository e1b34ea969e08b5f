export type { RunMeasures, WriteMeasures } from './measures.ts'
export { type SimulationOptions, type SimulationResult, simulate } from './simulate.ts'
