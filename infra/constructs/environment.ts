import { Stack, Token } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { DEPLOYMENT_FILE, VARIABLES } from '../../functions/environment/index.ts'
import type { ClusterConfig } from '../../shared/clusters/index.ts'
import { describeSettings, variableOf } from '../../shared/settings/index.ts'
import { DeploymentError, type DeploymentSettings } from '../settings/index.ts'
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

/** Lambda's limit, in bytes of the variables as JSON. */
const MAX_ENVIRONMENT_BYTES = 4096
/** Bytes that a value may have which CloudFormation fills in: URLs of queues have less, and most ARNs. */
const FILLED_IN_BYTES = 160

/**
 * Measures the environment of a function as Lambda does, which otherwise refuses it half-way through a
 * deployment.
 * @throws DeploymentError naming the largest variables where it is too large
 */
export function checkEnvironmentSize(scope: Construct, variables: Readonly<Record<string, string>>): void {
  checkSize(scope, variables, {
    most: MAX_ENVIRONMENT_BYTES,
    of: 'Lambda',
    instead: 'Put long values of functionProps into a layer, a parameter or a secret',
  })
}

/** Maximum bytes of the environment: ECS accepts 64 KiB per task definition, whose rest has some 3. */
const MAX_TASK_BYTES = 60_000

/** @throws DeploymentError where the environment is too large for a task definition */
export function checkTaskSize(scope: Construct, variables: Readonly<Record<string, string>>): void {
  checkSize(scope, variables, {
    most: MAX_TASK_BYTES,
    of: 'ECS',
    instead: 'Leave relayImage out: an image that is built has them in a file',
  })
}

interface SizeLimit {
  readonly most: number
  readonly of: string
  readonly instead: string
}

function checkSize(
  scope: Construct,
  variables: Readonly<Record<string, string>>,
  { most, of, instead }: SizeLimit,
): void {
  const sizes = Object.entries(variables)
    .map(([name, value]) => [name, bytesOf(Stack.of(scope).resolve(value))] as const)
    .toSorted(([, one], [, other]) => other - one)
  // Quotes, a colon and a comma for each.
  const bytes = sizes.reduce((sum, [name, size]) => sum + Buffer.byteLength(name) + size + 6, 2)
  if (bytes <= most) return
  const largest = sizes.slice(0, 3).map(([name, size]) => `${name} (${size})`)
  throw new DeploymentError(
    `${scope.node.path}: the environment has ${bytes} bytes, and ${of} takes ${most}; the largest are ${largest.join(', ')}. ${instead}`,
  )
}

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(JSON.stringify(value)) - 2
  const { 'Fn::Join': join } = value as { readonly 'Fn::Join'?: readonly [string, readonly unknown[]] }
  return join === undefined ? FILLED_IN_BYTES : join[1].reduce<number>((sum, part) => sum + bytesOf(part), 0)
}
