import {
  type Aws,
  createAws,
  createClusterClients,
  createClusterDirectory,
  withBudget,
} from '../../shared/clusters/index.ts'
import type { ApiClientOptions } from '../../shared/kubernetes/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import { type Environment, readClusters, readSettings } from './environment.ts'
import { createInvocation, openDeployedLog } from './telemetry.ts'

/** Surroundings of a function or the relay as it is deployed. */
export interface DeployedOptions {
  readonly environment: Environment
  /** Default: AWS itself. */
  readonly aws?: Aws
  /** Writer of log lines and metrics; default: standard error and standard output. */
  readonly write?: (line: string) => void
}

/**
 * Opens the parts that a function begins with: the log, the settings and the clusters that the environment
 * names.
 * @param limitsOf makes the limits of calls to a cluster; default: the budget of the settings
 * @throws EnvironmentError naming what is missing or wrong
 */
export function openDeployedFunction(
  { environment, aws = createAws(), write }: DeployedOptions,
  limitsOf: (settings: Settings, logger: Log) => (cluster: string) => ApiClientOptions = (settings) =>
    withBudget(settings.apiCallsPerSecond),
) {
  const invocation = createInvocation(environment)
  const logger = openDeployedLog(environment, { fields: invocation.fields, write })
  const settings = readSettings(environment, logger)
  const configs = readClusters(environment)
  const directory = createClusterDirectory({ clusters: configs, aws, logger })
  const clusters = createClusterClients(directory, logger, limitsOf(settings, logger))
  return { invocation, logger, settings, configs, clusters }
}
