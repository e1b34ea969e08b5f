export { checkDeployment } from './check-deployment.ts'
export type { FleetInput } from './check-fleet.ts'
export type { VpcEndpoints } from './check-network.ts'
export {
  type DeploymentSettings,
  type DeploymentSettingsInput,
  type DeploymentSettingsProps,
  describeDeploymentSettings,
  describeSettable,
  parseDeploymentSettings,
  visibilityOf,
} from './deployment-settings.ts'
export { DeploymentError } from './errors.ts'
