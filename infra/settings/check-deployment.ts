import { type ClusterConfig, ClusterConfigError, checkClusters } from '../../shared/clusters/index.ts'
import { SettingsError } from '../../shared/settings/index.ts'
import { checkFleet, type FleetInput, withFleet } from './check-fleet.ts'
import { checkNetwork, type NetworkInput } from './check-network.ts'
import {
  type DeploymentSettings,
  type DeploymentSettingsInput,
  parseDeploymentSettings,
  SETTINGS_OF_A_RELAY,
} from './deployment-settings.ts'
import { DeploymentError } from './errors.ts'

/** Parts of a deployment that can be checked without CDK, which takes seconds to load. */
interface DeploymentInput extends NetworkInput, StandbyInput {
  readonly clusters: readonly ClusterConfig[]
  readonly settings?: DeploymentSettingsInput
  /** Services over several clusters; default: none. */
  readonly fleet?: FleetInput | undefined
}

/**
 * Checks a deployment as a whole, and fills in the defaults of its settings.
 * @throws DeploymentError for what cannot be deployed, with what, where and what to do in one line
 */
export function checkDeployment(input: DeploymentInput): {
  readonly settings: DeploymentSettings
  readonly clusters: readonly ClusterConfig[]
} {
  checkNetwork(input)
  const { clusters, fleet } = input
  try {
    const settings = withFleet(input.settings ?? {}, fleet)
    for (const name of SETTINGS_OF_A_RELAY)
      if (settings[name] !== undefined)
        throw new DeploymentError(`${name}: is set for each relay; use relayShards and keepState`)
    const checked = checkClusters(clusters)
    const parsed = parseDeploymentSettings(settings)
    checkFleet(parsed, checked)
    if (input.standby === true) checkStandby(input, parsed, checked)
    return { settings: parsed, clusters: checked }
  } catch (cause) {
    if (cause instanceof SettingsError || cause instanceof ClusterConfigError)
      throw new DeploymentError(cause.message, { cause })
    throw cause
  }
}

/** Parts of a deployment that matter to a standby in another region. */
interface StandbyInput {
  /** Whether it is a standby for another deployment; default false. */
  readonly standby?: boolean
  readonly keepState?: boolean
  readonly views?: unknown
  /** Region to deploy to; default: it is not known yet. */
  readonly region?: string
}

/** @throws DeploymentError for what a standby deployment cannot do, or would lose with the other region */
function checkStandby(
  { keepState, views, region }: StandbyInput,
  { relayStandby, shadow }: Pick<DeploymentSettings, 'relayStandby' | 'shadow'>,
  clusters: readonly ClusterConfig[],
): void {
  const wrong = [
    keepState === true && 'keepState: a standby keeps no checkpoint; leave it out',
    relayStandby && 'relayStandby: every relay of a standby deployment is a standby; leave it out',
    shadow && 'shadow: a standby cannot tell which slices are wrong while nothing is written; leave it out',
    views !== undefined && 'views: a standby feeds no view publisher; leave them out',
  ].find((problem) => problem !== false)
  if (wrong !== undefined) throw new DeploymentError(wrong)
  for (const cluster of clusters) if (cluster.kind === 'secret') checkSecret(cluster, region)
}

function checkSecret({ name, secretArn }: { name: string; secretArn: string }, region?: string): void {
  const [, , , place = ''] = secretArn.split(':')
  if (region === undefined || place === region) return
  throw new DeploymentError(
    `cluster "${name}": its secret is in ${place}, and a standby in ${region} could not read it once ${place} is lost; replicate it (aws secretsmanager replicate-secret-to-regions --region ${place} --secret-id ${secretArn} --add-replica-regions Region=${region}) and give the ARN of the replica`,
  )
}
