import type { EndpointSlice, PlanState } from '../../index.ts'

/** One situation that both implementations plan; in JSON it is a case of the `plan` command. */
export interface TestCase extends PlanState {
  readonly id: string
  readonly maxEndpointsPerSlice: number
  /** RFC 3339. */
  readonly triggerTime?: string
  /** The managed-by value. */
  readonly controllerName: string
}

/** Writes of an implementation in a case. A slice to create may be without a name. */
export interface Outcome {
  readonly create: readonly EndpointSlice[]
  readonly update: readonly EndpointSlice[]
  /** Names. */
  readonly delete: readonly string[]
  /** Each as `type reason message`. */
  readonly events: readonly string[]
  /** Empty when everything was taken into account. */
  readonly error: string
}
