import type { Command } from 'commander'
import {
  CONTENT_SCHEMAS,
  flagOf,
  NO_CLUSTER_SETS,
  type SettingName,
  type Settings,
  variableOf,
} from '../../shared/settings/index.ts'
import { assertRelay, type RelayReport, readRelay } from '../deployment/read-relay.ts'
import { UsageError } from '../usage.ts'
import type { Flags } from './flags.ts'
import { FLEET } from './fleet.ts'
import { settingsOf } from './settings.ts'

/** What a command that asks a run works with. */
export interface AskedRun {
  readonly settings: Settings
  /** Absent where no run was named. */
  readonly relay?: RelayReport
}

const NAMES = Object.keys(CONTENT_SCHEMAS) as SettingName[]

/**
 * Asks the run that `--relay` names, and adopts the settings by which it decides, so that a command speaks of
 * that run. A run of an earlier version, and a relay of a deployment, do not have them: then the flags count.
 * @param place value of `--relay`
 * @param command says which of the flags were given
 * @throws UsageError where a flag or a variable says otherwise
 */
export async function askRun(place: string | undefined, flags: Flags, command: Command): Promise<AskedRun> {
  const own = settingsOf(flags)
  if (place === undefined) return { settings: own }
  assertRelay(place)
  const relay = await readRelay(place)
  if (relay.settings === undefined) return { settings: own, relay }
  const settings = { ...own, ...relay.settings }
  const mismatches = NAMES.flatMap((name) => {
    const source = command.getOptionValueSource(name)
    if ((source !== 'cli' && source !== 'env') || own[name] === settings[name]) return []
    const given = source === 'env' ? variableOf(name) : flagOf(name)
    return `${given} is ${textOf(own[name])}, but the run at ${relay.url} has ${textOf(settings[name])}: leave it out to ask about that run`
  })
  const problems = [...mismatches, ...setProblems(settings, command, relay.url)]
  if (problems.length > 0) throw new UsageError(problems.join('; '))
  return { settings, relay }
}

function setProblems({ clusterSets }: Settings, command: Command, url: string): string[] {
  const isGiven = (name: string): boolean => command.getOptionValueSource(name) === 'cli'
  if (clusterSets === NO_CLUSTER_SETS)
    return isGiven('fleet')
      ? [`--fleet: the run at ${url} has no cluster set; \`sliceflow run --fleet\` makes one`]
      : []
  // A run has made its set already.
  const { fleet: _, ...ofSet } = FLEET
  return Object.entries(ofSet).flatMap(([name, flag]) =>
    isGiven(name)
      ? [`${flag.option().long}: the cluster sets are those of the run at ${url}: leave it out`]
      : [],
  )
}

const textOf = (value: unknown): string => (value === '' ? 'none' : String(value))
