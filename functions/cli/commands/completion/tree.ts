import type { Command, Option } from 'commander'

/** A command with what can be typed after it. */
export interface CommandNode {
  /** Words after the program's name, such as `dead-letters list`; empty for the program. */
  readonly path: string
  readonly description: string
  readonly commands: readonly CommandNode[]
  readonly flags: readonly Flag[]
}

export interface Flag {
  readonly long: string
  /** Such as `-o`. */
  readonly short?: string
  readonly description: string
  readonly takesValue: boolean
  /** The values that there are, or what knows them; absent where any is possible. */
  readonly values?: readonly string[] | 'contexts'
}

/** Reads a command and those below it. */
export function nodesOf(command: Command, path: readonly string[] = []): CommandNode {
  return {
    path: path.join(' '),
    description: command.description(),
    commands: command.commands.map((one) => nodesOf(one, [...path, one.name()])),
    flags: command.createHelp().visibleOptions(command).flatMap(flagOf),
  }
}

function flagOf(option: Option): Flag[] {
  const { long, short, description } = option
  if (long == null) return []
  const values = long === '--context' ? ('contexts' as const) : option.argChoices
  return [
    {
      ...{ long, description, takesValue: option.required || option.optional },
      ...(short != null && { short }),
      ...(values !== undefined && { values }),
    },
  ]
}

/** Lists a command and all below it. */
export const flatten = (node: CommandNode): CommandNode[] => [node, ...node.commands.flatMap(flatten)]
