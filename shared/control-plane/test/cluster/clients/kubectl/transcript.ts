/** One command of a transcript with what is expected of it. */
interface Step {
  /** Command as it is typed, possibly over several lines. */
  readonly command: string
  /** Text on both outputs. Its last line is `[n]` if the command ends with n instead of 0. */
  readonly output: string
}

/** A file of commands and their output, which is read as a session in a terminal. */
export interface Transcript {
  /** Lines before the first command. */
  readonly heading: string
  /** The set of resources that the server must have: a first line such as `# needs: services`. */
  readonly needs: string | undefined
  readonly steps: readonly Step[]
}

const COMMAND = '$ '
const CONTINUATION = '> '

/**
 * Reads a transcript: `$ ` begins a command, `> ` goes on with it, everything up to the next command is its
 * output. Lines of a heading come first and begin with `#`.
 */
export function parseTranscript(text: string): Transcript {
  const heading: string[] = []
  const steps: { command: string; output: string }[] = []
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const step = steps.at(-1)
    if (line.startsWith(COMMAND)) steps.push({ command: line.slice(COMMAND.length), output: '' })
    else if (step === undefined) heading.push(line)
    else if (line.startsWith(CONTINUATION) && step.output === '') {
      step.command += `\n${line.slice(CONTINUATION.length)}`
    } else step.output += `${line}\n`
  }
  const needs = heading.map((line) => /^# needs: (\w+)/.exec(line)?.[1]).find((name) => name !== undefined)
  return { heading: heading.map((line) => `${line}\n`).join(''), needs, steps }
}

/** Writes the file that `parseTranscript` reads. */
export const formatTranscript = ({ heading, steps }: Transcript): string =>
  heading + steps.map(formatStep).join('')

const formatStep = ({ command, output }: Step): string =>
  `${COMMAND}${command.replaceAll('\n', `\n${CONTINUATION}`)}\n${output}`
