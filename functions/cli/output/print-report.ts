import { stringify } from 'yaml'
import { fittedText, terminalOf } from '../../terminal/index.ts'
import type { DocumentFormat, OutputFormat } from '../options/common.ts'

/** Prints a report on standard output: as a document, or described in a text that fits the terminal. */
export function printReport<Report>(
  report: Report,
  output: OutputFormat,
  describe: (report: Report) => string,
): void {
  process.stdout.write(
    output === 'text'
      ? fittedText(describe(report), terminalOf(process.stdout))
      : documentText(report, output),
  )
}

/** Writes a document: a line of JSON, or YAML. */
export const documentText = (document: unknown, format: DocumentFormat): string =>
  format === 'json' ? `${JSON.stringify(document)}\n` : yamlText(document)

/** Writes one document of several: a line of NDJSON, or YAML with the mark that separates documents. */
export const entryText = (document: unknown, format: DocumentFormat): string =>
  format === 'json' ? documentText(document, format) : `---\n${yamlText(document)}`

/** Through JSON, so that both formats have the same fields. */
const yamlText = (document: unknown): string =>
  stringify(JSON.parse(JSON.stringify(document)), { lineWidth: 0, aliasDuplicateObjects: false })
