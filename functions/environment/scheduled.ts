import {
  type Aws,
  createAws,
  createClusterClients,
  createClusterDirectory,
  withBudget,
} from '../../shared/clusters/index.ts'
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
 * Opens the parts that a function begins with which a schedule calls for every cluster: the log, the settings
 * and the clusters that the environment names.
 * @throws EnvironmentError naming what is missing or wrong
 */
export function openDeployedSchedule({ environment, aws = createAws(), write }: DeployedOptions) {
  const invocation = createInvocation(environment)
  const logger = openDeployedLog(environment, { fields: invocation.fields, write })
  const settings = readSettings(environment, logger)
  const directory = createClusterDirectory({ clusters: readClusters(environment), aws, logger })
  const clusters = createClusterClients(directory, logger, withBudget(settings.apiCallsPerSecond))
  return { invocation, logger, settings, clusters }
}
