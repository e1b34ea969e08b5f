import { stringify } from 'yaml'
import { assertOwnFile, type FileKind, replaceOwnFile } from '../../shared/files/index.ts'
import { printable } from '../../shared/telemetry/index.ts'
import type { DocumentFormat, OutputFormat } from '../options/common.ts'
import { fittedText, terminalOf } from '../terminal/index.ts'
import { UsageError } from '../usage.ts'

/** Prints a report on standard output: as a document, or described in a text that fits the terminal. */
export function printReport<Report>(
  report: Report,
  output: OutputFormat,
  describe: (report: Report) => string,
): void {
  const fitting = (each: Report): string => fittedText(describe(each), terminalOf(process.stdout))
  process.stdout.write(reportText(report, output, fitting))
}

/** Writes a report: as a document, or described in a text. */
export const reportText = <Report>(
  report: Report,
  output: OutputFormat,
  describe: (report: Report) => string,
): string => (output === 'text' ? describe(report) : documentText(report, output))

const documentText = (document: unknown, format: DocumentFormat): string =>
  format === 'json' ? `${JSON.stringify(document)}\n` : yamlText(document)

/** Writes one document of several: a line of NDJSON, or YAML with the mark that separates documents. */
export const entryText = (document: unknown, format: DocumentFormat): string =>
  format === 'json' ? documentText(document, format) : `---\n${yamlText(document)}`

/** Through JSON, so that both formats have the same fields. */
const yamlText = (document: unknown): string =>
  stringify(JSON.parse(JSON.stringify(document)), { lineWidth: 0, aliasDuplicateObjects: false })

/** Prints what is wrong with a line of a recording on standard error. */
export const printProblem = (problem: string): void => void process.stderr.write(`${printable(problem)}\n`)

const INTERVAL_MS = 1_000

/** Reports on standard error how far something is that takes longer than a second, once a second. */
export class Progress {
  #reportedAt = performance.now()

  report(text: string): void {
    if (performance.now() - this.#reportedAt < INTERVAL_MS) return
    this.#reportedAt = performance.now()
    process.stderr.write(`${text}\n`)
  }
}

/** The content security policy distinguishes our pages from others. */
const PAGE: FileKind = {
  name: 'a report',
  begins:
    /^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="default-src 'none'/,
  mode: 0o644,
}

/** To be called before what is reported is computed. @throws UsageError where the file cannot be written */
export const assertReportFile = (file: string): Promise<void> => correctable(file, assertOwnFile(file, PAGE))

/** @throws UsageError where the file cannot be written */
export async function writeReport(file: string, page: string): Promise<void> {
  await correctable(file, replaceOwnFile(file, page, PAGE))
  process.stderr.write(`the report is in ${file}\n`)
}

/** @throws UsageError so that the name of the file can be corrected */
async function correctable(file: string, writing: Promise<unknown>): Promise<void> {
  try {
    await writing
  } catch (error) {
    throw new UsageError(`failed to write the report ${file}: ${(error as Error).message}`, { cause: error })
  }
}
