import { type Command, Option } from 'commander'
import {
  describeSettings,
  flagOf,
  parseSetting,
  parseSettings,
  type SettingName,
  type Settings,
  SettingsError,
  type SettingsInput,
  variableOf,
} from '../../../shared/settings/index.ts'
import { UsageError } from '../usage.ts'

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
  'maximumEndpoints',
  'maximumWrites',
  'refusedAddresses',
  'allowedPods',
  'allowedNetworks',
  'allowedAddresses',
]

/** Groups settings by what they are about, as headings of the help. */
const GROUPS: Readonly<Record<SettingName, string>> = {
  mode: 'What is published:',
  managedBy: 'What is published:',
  shadow: 'What is published:',
  maxEndpointsPerSlice: 'What is published:',
  packing: 'What is published:',
  leftovers: 'What is published:',
  maximumRemoval: 'Guards:',
  maximumRemovalCount: 'Guards:',
  heldPlanExpiry: 'Guards:',
  maximumEndpoints: 'Guards:',
  maximumWrites: 'Guards:',
  refusedAddresses: 'Guards:',
  unreachableCluster: 'Guards:',
  unreachableClusterExpiry: 'Guards:',
  allowedPods: 'What annotations may name:',
  allowedNetworks: 'What annotations may name:',
  allowedAddresses: 'What annotations may name:',
  coalescingWindow: 'Pace:',
  sweepCoalescingWindow: 'Pace:',
  apiCallsPerSecond: 'Pace:',
  keysPerCluster: 'Pace:',
  batchWindow: 'Queues and the function:',
  batchSize: 'Queues and the function:',
  maximumConcurrency: 'Queues and the function:',
  functionTimeout: 'Queues and the function:',
  maxReceiveCount: 'Queues and the function:',
  recording: 'What is told:',
  shard: 'Relay:',
  stateDir: 'Relay:',
  relayStandby: 'Relay:',
  standbyDelay: 'Relay:',
  resyncInterval: 'Relay:',
  auditInterval: 'Relay:',
}

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
    command.addOption(option.env(variableOf(name)).helpGroup(GROUPS[name]))
  }
  return command
}

/** @throws UsageError naming the flags that are wrong, and what is allowed */
export function settingsOf(options: Readonly<Record<string, unknown>>): Settings {
  const given = describeSettings().map(({ name }) => [name, options[name]] as const)
  const input = Object.fromEntries(given.filter(([, value]) => value !== undefined)) as SettingsInput
  return asUsage(() => parseSettings(input, flagOf))
}

/** One setting of a command that has no other. @throws UsageError */
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
