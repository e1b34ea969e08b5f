import type { ServerAddress } from '../../support/list-watch-server.ts'

/** Shape of a batch, and of each of its Services. */
export interface BatchShape {
  readonly clusters: number
  readonly servicesPerCluster: number
  readonly podsPerService: number
  /** Size of a pod's JSON, about. */
  readonly podBytes: number
}

/** Request to the function's process. */
export interface FunctionStart {
  readonly shape: BatchShape
  readonly address: ServerAddress
}

/** Time and memory that the batch took. */
export interface BatchUsage {
  readonly peakRssMb: number
  readonly cpuSeconds: number
  readonly seconds: number
  readonly failed: number
  readonly endpoints: number
}
