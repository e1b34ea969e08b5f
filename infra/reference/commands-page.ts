import { COMMAND_GROUPS, type CommandEntry } from '../../cli/index.ts'
import { markdownTable } from './markdown.ts'

const INTRODUCTION = `# The command

\`--help\` describes each command. As with kubectl, \`-n NAMESPACE\` stands beside NAMESPACE/NAME, and \`-o yaml\` wherever there is \`-o json\`.
Exit codes: 0 done, 1 failed, 2 usage error; \`preflight\`: 3 for warnings. \`npm run docs\` writes this page from the entries of
[cli/commands](../cli/commands), and a test compares the two.`

/** Writes the whole of docs/commands.md. */
export function commandsPage(commands: readonly CommandEntry[]): string {
  const sections = COMMAND_GROUPS.map((group) => {
    const rows = commands
      .filter((command) => command.group === group)
      .map(({ name, summary, details }) => [
        `\`sliceflow ${name}\``,
        details === undefined ? summary : `${summary}. ${details}`,
      ])
    return `## ${group}\n\n${markdownTable(['command', 'what it does'], rows)}`
  })
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`
}
