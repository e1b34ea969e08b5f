import { type Environment, EnvironmentError, required } from '../environment/index.ts'

/** Variables of the discover function beside those of every function. */
export const DISCOVER_VARIABLES = {
  table: 'SLICEFLOW_DISCOVER_TABLE',
  spec: 'SLICEFLOW_DISCOVER_SPEC',
  operator: 'SLICEFLOW_DISCOVER_OPERATOR',
  eventBus: 'SLICEFLOW_DISCOVER_EVENT_BUS',
  cloudMapNamespace: 'SLICEFLOW_DISCOVER_CLOUD_MAP_NAMESPACE',
} as const

export interface DiscoverEnvironment {
  readonly table: string
  /** Path of the spec's file; relative to the function's code. */
  readonly spec: string
  /** The operator's name where the spec has none. */
  readonly operator: string | undefined
  /** Name or ARN of an EventBridge bus. */
  readonly eventBus: string | undefined
  /** Id of a Cloud Map namespace. */
  readonly cloudMapNamespace: string | undefined
}

/** @throws EnvironmentError */
export function readDiscoverEnvironment(environment: Environment): DiscoverEnvironment {
  const optional = (variable: string): string | undefined => environment[variable] || undefined
  const eventBus = optional(DISCOVER_VARIABLES.eventBus)
  const cloudMapNamespace = optional(DISCOVER_VARIABLES.cloudMapNamespace)
  if (eventBus === undefined && cloudMapNamespace === undefined) {
    const { eventBus: bus, cloudMapNamespace: namespace } = DISCOVER_VARIABLES
    throw new EnvironmentError(`${bus}, ${namespace}: at least one must be set: views need somewhere to go`)
  }
  return {
    table: required(environment, DISCOVER_VARIABLES.table),
    spec: required(environment, DISCOVER_VARIABLES.spec),
    operator: optional(DISCOVER_VARIABLES.operator),
    eventBus,
    cloudMapNamespace,
  }
}
