import { Command } from 'commander'
import type { SettingName } from '../../shared/settings/index.ts'
import { addFlags, type FlagGroup } from './flags.ts'
import { helpText } from './help-text.ts'
import { addSettings } from './settings.ts'

interface CommandDetails {
  /** What follows the flags in its help. */
  readonly help: string
  /** Its flags, by subject, in the order of the help. Groups may share flags. */
  readonly groups?: Readonly<Record<string, FlagGroup>>
  /** Headings of groups in the help; the others stand below the last heading. */
  readonly headings?: Readonly<Record<string, string>>
  /** Settings that are flags, too. Default: none. */
  readonly settings?: readonly SettingName[] | 'all'
}

/** Creates a command with its help and its flags; its entry gives it a name. */
export function createCommand({ help, groups = {}, headings = {}, settings }: CommandDetails): Command {
  const command = new Command().addHelpText('after', helpText(help))
  for (const [name, group] of Object.entries(groups)) addFlags(command, group, headings[name])
  return settings === undefined ? command : addSettings(command, settings === 'all' ? undefined : settings)
}
