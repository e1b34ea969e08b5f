import type { Command, Option } from 'commander'

/** A command with what can be typed after it. */
interface CommandNode {
  /** Words after the program's name, such as `dead-letters list`; empty for the program. */
  readonly path: string
  readonly description: string
  readonly commands: readonly CommandNode[]
  readonly flags: readonly Flag[]
}

interface Flag {
  readonly long: string
  /** Such as `-o`. */
  readonly short?: string
  readonly description: string
  readonly takesValue: boolean
  /** The values that there are, or what knows them; absent where any is possible. */
  readonly values?: readonly string[] | 'contexts'
}

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
  return [{ long, short, description, takesValue: option.required || option.optional, values }]
}

export const flatten = (node: CommandNode): CommandNode[] => [node, ...node.commands.flatMap(flatten)]

/** Lists the contexts of the kubeconfig in any shell. */
const CONTEXTS = '$(sliceflow completion contexts 2>/dev/null)'

const namesOf = ({ long, short }: Flag): string[] => (short === undefined ? [long] : [short, long])
const nameOf = ({ path }: CommandNode): string => path.split(' ').at(-1) ?? ''
const valuesOf = ({ values = [] }: Flag): string => (values === 'contexts' ? CONTEXTS : values.join(' '))

/** Writes the script for bash: it finds the command among the words before, and then offers its words. */
export function bashScript(program: CommandNode): string {
  const nodes = flatten(program)
  const steps = nodes.flatMap(({ path, commands }) => commands.map((one) => `'${path} ${nameOf(one)}'`))
  const values = nodes.flatMap(({ path, flags }) =>
    flags.filter(({ takesValue }) => takesValue).map((flag) => valueCase(path, flag)),
  )
  const words = nodes.map(
    ({ path, commands, flags }) =>
      `    '${path}') words='${[...commands.map(nameOf), ...flags.flatMap(namesOf)].join(' ')}' ;;`,
  )
  return [
    '_sliceflow() {',
    `  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" cmd="" words="" i`,
    '  for ((i = 1; i < COMP_CWORD; i++)); do',
    `    case "$cmd \${COMP_WORDS[i]}" in`,
    `      ${steps.join('|')}) cmd="\${cmd:+$cmd }\${COMP_WORDS[i]}" ;;`,
    '    esac',
    '  done',
    '  case "$cmd $prev" in',
    ...values,
    '    *) case "$cmd" in',
    ...words,
    '    esac ;;',
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    '}',
    // Where there is nothing to offer: the names of files.
    'complete -o default -F _sliceflow sliceflow',
    '',
  ].join('\n')
}

const valueCase = (path: string, flag: Flag): string =>
  `    ${namesOf(flag)
    .map((name) => `'${path} ${name}'`)
    .join('|')}) words="${valuesOf(flag)}" ;;`

/** Writes the script for zsh, which runs that for bash. */
export const zshScript = (program: CommandNode): string =>
  [
    'autoload -Uz compinit bashcompinit',
    '(( $+functions[compdef] )) || compinit',
    'bashcompinit',
    bashScript(program),
  ].join('\n')

/** Writes the script for fish, a line for each command and flag. */
export function fishScript(program: CommandNode): string {
  const lines = flatten(program).flatMap((node) => [
    ...node.commands.map(
      (one) =>
        `complete -c sliceflow -f -n ${condition(node, node.commands)} -a ${nameOf(one)} -d ${quoted(one.description)}`,
    ),
    ...node.flags.map((flag) => `complete -c sliceflow -n ${condition(node)} ${fishFlag(flag)}`),
  ])
  return `${lines.join('\n')}\n`
}

/** @param others commands of which none must be there yet */
function condition({ path }: CommandNode, others: readonly CommandNode[] = []): string {
  const seen = path.split(' ').filter(Boolean)
  const parts = [
    ...seen.map((name) => `__fish_seen_subcommand_from ${name}`),
    ...(seen.length === 0 ? ['__fish_use_subcommand'] : []),
    ...(seen.length > 0 && others.length > 0
      ? [`not __fish_seen_subcommand_from ${others.map(nameOf).join(' ')}`]
      : []),
  ]
  return quoted(parts.join('; and '))
}

function fishFlag(flag: Flag): string {
  const { long, short, description, takesValue, values } = flag
  const fishValues = values === 'contexts' ? '(sliceflow completion contexts 2>/dev/null)' : valuesOf(flag)
  return [
    `-l ${long.slice(2)}`,
    ...(short === undefined ? [] : [`-s ${short.slice(1)}`]),
    ...(values === undefined ? [] : [`-xa ${quoted(fishValues)}`]),
    ...(takesValue && values === undefined ? ['-r'] : []),
    `-d ${quoted(description)}`,
  ].join(' ')
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
