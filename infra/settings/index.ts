export { checkDeployment, type DeploymentInput } from './check-deployment.ts'
export type { FleetInput } from './check-fleet.ts'
export { VPC_ENDPOINTS, type VpcEndpoints } from './check-network.ts'
export {
  advisedVisibility,
  type DeploymentSettingName,
  type DeploymentSettings,
  type DeploymentSettingsInput,
  type DeploymentSettingsProps,
  describeDeploymentSettings,
  parseDeploymentSettings,
} from './deployment-settings.ts'
export { describeSettable } from './documentation.ts'
export { DeploymentError } from './errors.ts'
