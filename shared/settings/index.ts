export { blockListOf, isCidr, NO_RANGES, SPECIAL } from './address-ranges.ts'
export {
  type ClusterSetConfig,
  type ClusterSetEntry,
  type ClusterSetInput,
  checkClusterSets,
  NO_CLUSTER_SETS,
  parseClusterSets,
} from './cluster-sets.ts'
export { CONTENT_SCHEMAS, type ContentSettings, contentDigest, contentSettings } from './content-settings.ts'
export { grantedRanges, grantsPods, matchesPattern, NO_GRANTS } from './grants.ts'
export { choice, integer, metaOf, NUMBERS, setting, truth } from './setting.ts'
export {
  describeSettings,
  flagOf,
  type Mode,
  misspeltVariables,
  parseSetting,
  parseSettings,
  recordedShare,
  SETTING_SCHEMAS,
  type SettingDescription,
  type SettingName,
  type Settings,
  SettingsError,
  type SettingsInput,
  variableOf,
  windowSeconds,
} from './settings.ts'
