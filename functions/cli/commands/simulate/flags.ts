import type { Encoding, PolicyName, PresetName } from '../../../../shared/simulation/index.ts'
import type { OutputFormat } from '../../options/output.ts'

/** The flags of `simulate`. */
export interface SimulateOptions {
  readonly preset?: PresetName
  readonly workload: WorkloadName
  readonly services: number
  readonly endpoints: number
  readonly nodes?: number
  readonly recording?: readonly string[]
  readonly cluster?: string
  readonly since?: number
  readonly until?: number
  readonly duration: number
  readonly meanChange: readonly number[]
  readonly recovery: number
  readonly noisyShare: number
  readonly noisyMeanChange: number
  readonly surge: number
  readonly unavailable: number
  readonly startup: number
  readonly perSecond: number
  readonly termination: number
  readonly factor: number
  readonly eviction: number
  readonly policy?: readonly PolicyName[]
  readonly coalescingWindow?: readonly ('auto' | number)[]
  readonly maxEndpointsPerSlice?: readonly number[]
  readonly batchWindow?: readonly number[]
  readonly batchSize?: number
  readonly maximumConcurrency?: number
  readonly maximumPollers?: number
  readonly encoding: Encoding
  readonly scale?: true
  readonly advise?: true
  readonly latest: number
  readonly compare?: readonly string[]
  readonly report?: string
  readonly seed: number
  readonly output: OutputFormat
}

export type WorkloadName = 'churn' | 'rolling' | 'scale' | 'node-loss' | 'zone-loss'
