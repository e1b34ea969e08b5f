import type { Command } from 'commander'

/** Headings of the commands in the help and on docs/commands.md, in their order. */
export const COMMAND_GROUPS = ['Run', 'Inspect', 'Repair', 'Plan and estimate', 'Install', 'Other'] as const

/** A command of `sliceflow`, listed in ./commands/index.ts: help, completion and its page follow from it. */
export interface CommandEntry {
  /** What is typed, and the name of its folder. */
  readonly name: string
  readonly group: (typeof COMMAND_GROUPS)[number]
  /** What it does, in a line without a full stop. */
  readonly summary: string
  /** Sentences that follow the summary on docs/commands.md, in Markdown; links lead from docs. */
  readonly details?: string
  /**
   * Loads its help and its flags, from a module of their own: a start loads only the command that it runs.
   * Name and description come from the entry.
   * @param commands all that there are
   */
  readonly load: (commands: readonly CommandEntry[]) => Promise<Command>
  /**
   * Loads its action, which is called with the arguments, the flags and the command. Absent where the command
   * itself has it; in a module of its own the API client and the AWS SDK do not slow down every --help.
   */
  readonly run?: () => Promise<(...given: never[]) => Promise<void>>
}

/** Loads a command with its action. @param commands all that there are */
export async function loadCommand(
  { load, run }: CommandEntry,
  commands: readonly CommandEntry[],
): Promise<Command> {
  const command = await load(commands)
  if (run === undefined) return command
  return command.action(async (...given: unknown[]) => (await run())(...(given as never[])))
}
