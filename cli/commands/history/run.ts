import { ownerText, type ServiceKey } from '../../../shared/changes/index.ts'
import {
  describeEntry,
  describePublished,
  type HistoryEntry,
  inOrder,
  ofService,
  openRecording,
  publishedAt,
  timelineOf,
} from '../../history/index.ts'
import type { HistoryReport } from '../../history/report/report.ts'
import type { DocumentFormat, OutputFormat } from '../../options/common.ts'
import { type Flags, groupFlags } from '../../options/flags.ts'
import { type OwnerArgument, parseOwner } from '../../options/subject.ts'
import {
  assertReportFile,
  entryText,
  printProblem,
  printReport,
  writeReport,
} from '../../output/print-report.ts'
import { fittedText, terminalOf } from '../../terminal/index.ts'
import { UsageError } from '../../usage.ts'
import { GROUPS } from './command.ts'

/** @throws UsageError @throws HistoryError when a source cannot be read, or has nothing of the Service */
export async function runHistory(cluster: string, service: string, flags: Flags): Promise<void> {
  const { recorded, filter, asked } = groupFlags(flags, GROUPS)
  const { at, namespace, output, report: file } = asked
  const key = keyOf(cluster, parseOwner(service, namespace))
  const { since, until = at } = filter
  const wanted = { cluster, since, until }
  const recording = openRecording({ ...recorded, onProblem: printProblem, ...wanted })
  const lines = inOrder(ofService(recording, key))
  if (at !== undefined) {
    return printReport(await publishedAt(lines, key, at), output, describePublished)
  }
  if (file === undefined) return print(timelineOf(lines, filter), output)
  await assertReportFile(file)
  // Loaded when it is wanted: what draws charts would slow down every start.
  const { createHistoryReport } = await import('../../history/report/report.ts')
  const report = createHistoryReport(`${cluster} ${ownerText(key)}`)
  await print(addedTo(report, timelineOf(lines, filter)), output)
  await writeReport(file, report.page())
}

async function print(entries: AsyncIterable<HistoryEntry>, output: OutputFormat): Promise<void> {
  const terminal = terminalOf(process.stdout)
  const texts =
    output === 'text' ? textOf(entries, (text) => fittedText(text, terminal)) : documentsOf(entries, output)
  for await (const text of texts) if (!process.stdout.write(text)) await drained()
}

async function* addedTo(
  report: HistoryReport,
  entries: AsyncIterable<HistoryEntry>,
): AsyncGenerator<HistoryEntry> {
  for await (const entry of entries) {
    report.add(entry)
    yield entry
  }
}

function keyOf(cluster: string, { namespace, name, ownerKind }: OwnerArgument): ServiceKey {
  if (namespace === undefined)
    throw new UsageError(`"${name}" names no namespace: give NAMESPACE/NAME, such as shop/${name}, or -n`)
  return { cluster, namespace, service: name, ...(ownerKind && { ownerKind }) }
}

async function* documentsOf(
  entries: AsyncIterable<HistoryEntry>,
  format: DocumentFormat,
): AsyncGenerator<string> {
  for await (const entry of entries) yield entryText(entry, format)
}

/** Writes the date once a day, and the time of day before each line. */
async function* textOf(
  entries: AsyncIterable<HistoryEntry>,
  fitted: (text: string) => string,
): AsyncGenerator<string> {
  let day = ''
  for await (const entry of entries) {
    const [date = '', time = ''] = new Date(entry.time).toISOString().slice(0, -1).split('T')
    const heading = date === day ? '' : `${date}\n`
    day = date
    const lines = describeEntry(entry).map((line) => `${time}  ${line}\n`)
    yield fitted(`${heading}${lines.join('')}`)
  }
  if (day === '') yield fitted('nothing happened to it in that time\n')
}

const drained = (): Promise<void> => new Promise((resolve) => void process.stdout.once('drain', resolve))
