import { VARIABLES } from '../../functions/environment/index.ts'
import type { ClusterConfig } from '../../shared/clusters/index.ts'
import { describeSettings, variableOf } from '../../shared/settings/index.ts'
import type { DeploymentSettings } from '../settings/index.ts'
import type { LaneQueues } from './lane-queues.ts'

export interface Lanes {
  readonly live: LaneQueues
  readonly sweep: LaneQueues
}

/**
 * Returns the variables that functions and relay read their settings from. Settings at their defaults are
 * left out, and so is `relayStandby`, which only the standby is to be told.
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
