export { NO_RANGES, rangesOf, SPECIAL_RANGES } from './address-ranges.ts'
export {
  describeSettings,
  flagOf,
  type Mode,
  parseSettings,
  type SettingDescription,
  type SettingName,
  type Settings,
  SettingsError,
  type SettingsInput,
  variableOf,
} from './settings.ts'
