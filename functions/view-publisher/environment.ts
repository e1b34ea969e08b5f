import { type Environment, EnvironmentError, optional, required } from '../environment/index.ts'

/** Variables of the view publisher beside those of every function. */
export const VIEW_PUBLISHER_VARIABLES = {
  table: 'SLICEFLOW_VIEW_PUBLISHER_TABLE',
  spec: 'SLICEFLOW_VIEW_PUBLISHER_SPEC',
  operator: 'SLICEFLOW_VIEW_PUBLISHER_OPERATOR',
  eventBus: 'SLICEFLOW_VIEW_PUBLISHER_EVENT_BUS',
  cloudMapNamespace: 'SLICEFLOW_VIEW_PUBLISHER_CLOUD_MAP_NAMESPACE',
} as const

export type ViewPublisherEnvironment = ReturnType<typeof readViewPublisherEnvironment>

/** @throws EnvironmentError */
export function readViewPublisherEnvironment(environment: Environment) {
  const eventBus = optional(environment, VIEW_PUBLISHER_VARIABLES.eventBus)
  const cloudMapNamespace = optional(environment, VIEW_PUBLISHER_VARIABLES.cloudMapNamespace)
  if (eventBus === undefined && cloudMapNamespace === undefined) {
    const { eventBus: bus, cloudMapNamespace: namespace } = VIEW_PUBLISHER_VARIABLES
    throw new EnvironmentError(`${bus}, ${namespace}: at least one must be set: views need somewhere to go`)
  }
  return {
    table: required(environment, VIEW_PUBLISHER_VARIABLES.table),
    /** Path of the spec's file; relative to the function's code. */
    spec: required(environment, VIEW_PUBLISHER_VARIABLES.spec),
    /** The operator's name where the spec has none. */
    operator: optional(environment, VIEW_PUBLISHER_VARIABLES.operator),
    /** Name or ARN of an EventBridge bus. */
    eventBus,
    /** Id of a Cloud Map namespace. */
    cloudMapNamespace,
  }
}
