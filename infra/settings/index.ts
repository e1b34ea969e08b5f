export {
  advisedVisibility,
  type DeploymentSettingName,
  type DeploymentSettings,
  type DeploymentSettingsInput,
  describeDeploymentSettings,
  parseDeploymentSettings,
} from './deployment-settings.ts'
