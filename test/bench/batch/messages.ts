import type { ServerAddress } from '../../support/list-watch-server.ts'

/** What a batch is of, and what each of its Services is made of. */
export interface BatchShape {
  readonly clusters: number
  readonly servicesPerCluster: number
  readonly podsPerService: number
  /** Of a pod's JSON, about. */
  readonly podBytes: number
}

/** What the function's process is asked for. */
export interface FunctionStart {
  readonly shape: BatchShape
  readonly address: ServerAddress
}

/** What the batch took. */
export interface BatchUsage {
  readonly peakRssMb: number
  readonly cpuSeconds: number
  readonly seconds: number
  readonly failed: number
  readonly endpoints: number
}
