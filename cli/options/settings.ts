import { type Command, Option } from 'commander'
import {
  describeSettings,
  flagOf,
  misspeltVariables,
  parseSetting,
  parseSettings,
  type SettingName,
  type Settings,
  SettingsError,
  type SettingsInput,
  variableOf,
} from '../../shared/settings/index.ts'
import { withValues } from '../../shared/values/index.ts'
import { UsageError } from '../usage.ts'

/** Settings of slices and guards, which hold for Services of one cluster and of cluster sets. */
const SLICE_SETTINGS: readonly SettingName[] = [
  'maxEndpointsPerSlice',
  'packing',
  'maximumRemoval',
  'maximumRemovalCount',
  'heldPlanExpiry',
  'maximumEndpoints',
  'refusedAddresses',
]

/** The settings that say what would be written: of commands that plan and write nothing. */
export const PLAN_SETTINGS: readonly SettingName[] = [
  ...SLICE_SETTINGS,
  'mode',
  'managedBy',
  'leftovers',
  'mirrorEndpoints',
  'endpointSelectors',
  'allowedPods',
  'allowedNetworks',
  'allowedAddresses',
]

/** Settings of cluster sets, beside the others that say what would be written. */
export const FLEET_SETTINGS: readonly SettingName[] = [
  'clusterSets',
  'unreachableCluster',
  'unreachableClusterExpiry',
]

/** Settings that say what a cluster set would get. */
export const FLEET_PLAN_SETTINGS: readonly SettingName[] = [...FLEET_SETTINGS, ...SLICE_SETTINGS]

/**
 * Adds one flag a setting, with its documentation; an environment variable of the same meaning stands in for
 * it. Before the command runs, what was given is checked: errors name the flag or the variable that it came
 * from.
 * @param names of the settings; default: all
 */
export function addSettings(command: Command, names?: readonly SettingName[]): Command {
  for (const { name, placeholder, description, heading = '', default: value } of describeSettings()) {
    if (names !== undefined && !names.includes(name)) continue
    // A flag alone says yes; an environment variable may say no as well.
    const argument = typeof value === 'boolean' ? '[boolean]' : `<${placeholder.toLowerCase()}>`
    const option = new Option(
      `${flagOf(name)} ${argument}`,
      `${description} (default: ${value === '' ? 'empty' : value})`,
    )
    command.addOption(option.env(variableOf(name)).helpGroup(heading))
  }
  return command.hook('preAction', () => checkSettings(command, names))
}

/** @throws UsageError */
function checkSettings(command: Command, names: readonly SettingName[] | undefined): void {
  const misspelt = misspeltVariables(process.env)
  if (misspelt.length > 0) throw new UsageError(misspelt.join('; '))
  const options = command.opts<Readonly<Record<string, unknown>>>()
  const sourceOf = (name: string): string =>
    command.getOptionValueSource(name) === 'env' ? variableOf(name) : flagOf(name)
  // Contradictions between settings cannot be found from a few of them.
  if (names === undefined || names.includes('mode')) asUsage(() => parseSettings(given(options), sourceOf))
  else for (const name of names) asUsage(() => parseSetting(name, options[name], sourceOf))
}

const given = (options: Readonly<Record<string, unknown>>): SettingsInput =>
  withValues(Object.fromEntries(describeSettings().map(({ name }) => [name, options[name]])))

/** @throws UsageError naming the flags that are wrong, and what is allowed */
export const settingsOf = (options: Readonly<Record<string, unknown>>): Settings =>
  asUsage(() => parseSettings(given(options), flagOf))

/** Parses one setting for a command that has no other. @throws UsageError */
export const settingOf = <Name extends SettingName>(
  name: Name,
  options: Readonly<Record<string, unknown>>,
): Settings[Name] => asUsage(() => parseSetting(name, options[name], flagOf))

function asUsage<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof SettingsError) throw new UsageError(error.message, { cause: error })
    throw error
  }
}
