import { type ClusterConfig, ClusterConfigError, parseClusters } from '../../shared/clusters/index.ts'
import { LANES, type Lane } from '../../shared/queue/index.ts'
import {
  describeSettings,
  misspeltVariables,
  parseSettings,
  type Settings,
  SettingsError,
  variableOf,
} from '../../shared/settings/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** A function or the relay was deployed with an environment that it cannot work with; names the variables. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError'
  readonly retryable = false
}

/** The URLs of one lane's queues. */
export interface LaneUrls {
  readonly queue: string
  readonly deadLetters: string
}

/** Every variable beside those of the settings. */
export const VARIABLES = {
  clusters: 'SLICEFLOW_CLUSTERS',
  /** Name of the deployment in its account and region: a dimension of every metric. */
  deployment: 'SLICEFLOW_DEPLOYMENT',
  /** `true` where every relay of the deployment is a standby: it has no other metrics to distinguish. */
  standbyDeployment: 'SLICEFLOW_STANDBY_DEPLOYMENT',
  /** Port of the relay on all interfaces for its health, metrics and readiness. */
  port: 'SLICEFLOW_PORT',
  /** Bucket of recordings; needed with the setting `recording`. */
  recordings: 'SLICEFLOW_RECORDINGS_BUCKET',
  live: { queue: 'SLICEFLOW_LIVE_QUEUE_URL', deadLetters: 'SLICEFLOW_LIVE_DEAD_LETTERS_URL' },
  sweep: { queue: 'SLICEFLOW_SWEEP_QUEUE_URL', deadLetters: 'SLICEFLOW_SWEEP_DEAD_LETTERS_URL' },
  /** Queue of the relay and of the view publisher; without it the relay feeds no such function. */
  viewPublisher: {
    queue: 'SLICEFLOW_VIEW_PUBLISHER_QUEUE_URL',
    deadLetters: 'SLICEFLOW_VIEW_PUBLISHER_DEAD_LETTERS_URL',
  },
} as const

/** Endings of the outputs of the stack's queues, after the construct's path: `SliceflowLiveQueueUrl`. */
export const STACK_OUTPUTS = {
  live: { queue: 'LiveQueueUrl', deadLetters: 'LiveDeadLettersUrl' },
  sweep: { queue: 'SweepQueueUrl', deadLetters: 'SweepDeadLettersUrl' },
  viewPublisher: { queue: 'ViewPublisherQueueUrl', deadLetters: 'ViewPublisherDeadLettersUrl' },
} as const

/**
 * Reads the settings. A variable that is nearly that of a setting is warned of, and no more: while a
 * deployment is updated, code and variables may be of different versions.
 * @throws EnvironmentError naming every variable that is wrong, and what is allowed
 */
export function readSettings(environment: Environment, logger: Pick<Log, 'warn'>): Settings {
  for (const misspelt of misspeltVariables(environment)) logger.warn({}, misspelt)
  const given = describeSettings().map(({ name }) => [name, environment[variableOf(name)]] as const)
  try {
    return parseSettings(Object.fromEntries(given), variableOf)
  } catch (cause) {
    if (cause instanceof SettingsError) throw new EnvironmentError(cause.message, { cause })
    throw cause
  }
}

/** @throws EnvironmentError */
export function readClusters(environment: Environment): ClusterConfig[] {
  try {
    return parseClusters(required(environment, VARIABLES.clusters))
  } catch (cause) {
    if (cause instanceof ClusterConfigError)
      throw new EnvironmentError(`${VARIABLES.clusters}: ${cause.message}`, { cause })
    throw cause
  }
}

/** @throws EnvironmentError */
export function readQueueUrl(environment: Environment, lane: Lane): string {
  return url(environment, VARIABLES[lane].queue)
}

/** @throws EnvironmentError */
export function readLaneUrls(environment: Environment): Readonly<Record<Lane, LaneUrls>> {
  const lanes = LANES.map((lane) => [
    lane,
    { queue: readQueueUrl(environment, lane), deadLetters: url(environment, VARIABLES[lane].deadLetters) },
  ])
  return Object.fromEntries(lanes)
}

/** @throws EnvironmentError */
export function readViewPublisherUrls(environment: Environment): LaneUrls {
  const { queue, deadLetters } = VARIABLES.viewPublisher
  return { queue: url(environment, queue), deadLetters: url(environment, deadLetters) }
}

/** Returns the queue that a relay feeds, if there is a view publisher. @throws EnvironmentError */
export function readViewPublisherQueue(environment: Environment): string | undefined {
  const { queue } = VARIABLES.viewPublisher
  return optional(environment, queue) && url(environment, queue)
}

/** @throws EnvironmentError */
export function readPort(environment: Environment): number {
  const text = optional(environment, VARIABLES.port) ?? '8080'
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new EnvironmentError(`${VARIABLES.port}: "${text}" is not a port, 0 to 65535`)
}

function url(environment: Environment, variable: string): string {
  const text = required(environment, variable)
  if (URL.canParse(text)) return text
  throw new EnvironmentError(
    `${variable}: "${text}" is not the URL of a queue, such as https://sqs.eu-west-1.amazonaws.com/123456789012/live`,
  )
}

/** An empty variable counts as none: manifests have no other way to leave one out. */
export const optional = (environment: Environment, variable: string): string | undefined =>
  environment[variable] || undefined

/** @throws EnvironmentError where the variable is empty or not there */
export function required(environment: Environment, variable: string): string {
  const text = optional(environment, variable)
  if (text !== undefined) return text
  throw new EnvironmentError(`${variable}: must be set`)
}
