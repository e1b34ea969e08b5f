import { type Command, Option } from 'commander'
import {
  describeSettings,
  flagOf,
  parseSettings,
  type SettingName,
  type Settings,
  SettingsError,
  type SettingsInput,
  variableOf,
} from '../../shared/settings/index.ts'
import { UsageError } from './usage.ts'

/** The settings that say what would be written: of commands that plan and write nothing. */
export const PLAN_SETTINGS: readonly SettingName[] = [
  'mode',
  'managedBy',
  'maxEndpointsPerSlice',
  'packing',
  'leftovers',
  'maximumRemoval',
  'maximumRemovalCount',
  'heldPlanExpiry',
  'maximumWrites',
  'refusedAddresses',
]

/**
 * Adds one flag a setting, with its documentation; an environment variable of the same meaning stands in for it.
 * @param names of the settings; default: all
 */
export function addSettings(command: Command, names?: readonly SettingName[]): Command {
  for (const { name, placeholder, description, default: value } of describeSettings()) {
    if (names !== undefined && !names.includes(name)) continue
    // A flag alone says yes; an environment variable may say no as well.
    const argument = typeof value === 'boolean' ? '[boolean]' : `<${placeholder.toLowerCase()}>`
    const option = new Option(
      `${flagOf(name)} ${argument}`,
      `${description} (default: ${value === '' ? 'empty' : value})`,
    )
    command.addOption(option.env(variableOf(name)))
  }
  return command
}

/** @throws UsageError naming the flags that are wrong, and what is allowed */
export function settingsOf(options: Readonly<Record<string, unknown>>): Settings {
  const given = describeSettings().map(({ name }) => [name, options[name]] as const)
  const input = Object.fromEntries(given.filter(([, value]) => value !== undefined)) as SettingsInput
  try {
    return parseSettings(input, flagOf)
  } catch (error) {
    if (error instanceof SettingsError) throw new UsageError(error.message, { cause: error })
    throw error
  }
}
