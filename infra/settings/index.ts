export {
  advisedVisibility,
  type DeploymentSettingName,
  type DeploymentSettings,
  type DeploymentSettingsInput,
  describeDeploymentSettings,
  parseDeploymentSettings,
  SETTINGS_OF_A_RELAY,
} from './deployment-settings.ts'
export { describeSettable } from './documentation.ts'
