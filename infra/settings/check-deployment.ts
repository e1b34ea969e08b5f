import { type ClusterConfig, ClusterConfigError, checkClusters } from '../../shared/clusters/index.ts'
import { SettingsError } from '../../shared/settings/index.ts'
import { checkFleet, type FleetInput, withFleet } from './check-fleet.ts'
import { checkNetwork, type NetworkInput } from './check-network.ts'
import { checkStandby, type StandbyInput } from './check-standby.ts'
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
