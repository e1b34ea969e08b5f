import { Token } from 'aws-cdk-lib'
import { DEPLOYMENT_FILE, VARIABLES } from '../../functions/environment/index.ts'
import type { ClusterConfig } from '../../shared/clusters/index.ts'
import { describeSettings, variableOf } from '../../shared/settings/index.ts'
import type { DeploymentSettings } from '../settings/index.ts'
import type { LaneQueues } from './queues/key-queue.ts'

export interface Lanes {
  readonly live: LaneQueues
  readonly sweep: LaneQueues
}

/**
 * Returns the variables that functions and relay read their settings from. Settings at their defaults are
 * omitted, and so is `relayStandby`, which only the standby gets.
 */
export function settingsEnvironment(settings: DeploymentSettings): Record<string, string> {
  const changed = describeSettings().filter(
    ({ name, default: value }) => name !== 'relayStandby' && settings[name] !== value,
  )
  return Object.fromEntries(changed.map(({ name }) => [variableOf(name), String(settings[name])]))
}

export const clustersEnvironment = (clusters: readonly ClusterConfig[]): Record<string, string> => ({
  [VARIABLES.clusters]: JSON.stringify(clusters),
})

export const queuesEnvironment = ({ live, sweep }: Lanes): Record<string, string> => ({
  [VARIABLES.live.queue]: live.queue.queueUrl,
  [VARIABLES.sweep.queue]: sweep.queue.queueUrl,
})

export const deadLettersEnvironment = ({ live, sweep }: Lanes): Record<string, string> => ({
  [VARIABLES.live.deadLetters]: live.deadLetters.queueUrl,
  [VARIABLES.sweep.deadLetters]: sweep.deadLetters.queueUrl,
})

/** Variables by where the code reads them. */
interface PlacedVariables {
  /** Those of the environment: of values that CloudFormation fills in, and short ones. */
  readonly environment: Record<string, string>
  /** Files beside the code. */
  readonly files: Readonly<Record<string, string>>
}

/** Longer texts go into the file, in bytes. */
const SHORT_BYTES = 128

/**
 * Puts the list of clusters, and what else is long, into the file beside the code: it has no limit of its
 * own, and a function's environment has one of 4 kB.
 */
export function placeVariables(variables: Readonly<Record<string, string>>): PlacedVariables {
  const isLong = ([name, value]: [string, string]): boolean =>
    !Token.isUnresolved(value) && (name === VARIABLES.clusters || Buffer.byteLength(value) > SHORT_BYTES)
  const { long = [], short = [] } = Object.groupBy(Object.entries(variables), (entry) =>
    isLong(entry) ? 'long' : 'short',
  )
  const file = JSON.stringify(Object.fromEntries(long))
  return { environment: Object.fromEntries(short), files: long.length > 0 ? { [DEPLOYMENT_FILE]: file } : {} }
}
