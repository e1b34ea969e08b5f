import { fittedText, terminalOf } from '../terminal/index.ts'

/** Prints a report on standard output: as a line of JSON, or described in a text that fits the terminal. */
export function printReport<Report>(
  report: Report,
  output: 'text' | 'json',
  describe: (report: Report) => string,
): void {
  process.stdout.write(
    output === 'json'
      ? `${JSON.stringify(report)}\n`
      : fittedText(describe(report), terminalOf(process.stdout)),
  )
}
