import type { ServiceKey } from '../../../../shared/changes/index.ts'
import { printable } from '../../../../shared/telemetry/index.ts'
import {
  describeEntry,
  describePublished,
  type HistoryEntry,
  inOrder,
  ofService,
  openRecording,
  publishedAt,
  type TimelineFilter,
  timelineOf,
} from '../../../history/index.ts'
import type { HistoryReport } from '../../../history/report/index.ts'
import { fittedText, terminalOf } from '../../../terminal/index.ts'
import { parseService } from '../../options/service.ts'
import { printReport } from '../../print-report.ts'
import { UsageError } from '../../usage.ts'
import { writeReport } from '../../write-report.ts'

/** The flags of `history`; times are in milliseconds since the epoch. */
export interface HistoryOptions extends TimelineFilter {
  readonly from: readonly string[]
  readonly at?: number
  readonly report?: string
  readonly output: 'text' | 'json'
}

/** Objects of several workers cover so many milliseconds each, at most, and come one after the other. */
const DISORDER_MS = 5 * 60_000

/** @throws UsageError @throws HistoryError when a source cannot be read, or has nothing of the Service */
export async function runHistory(cluster: string, service: string, options: HistoryOptions): Promise<void> {
  const { from, at, output, report: file, ...filter } = options
  const key = keyOf(cluster, service)
  const onProblem = (problem: string): void => void process.stderr.write(`${printable(problem)}\n`)
  const { since, until = at } = filter
  const wanted = { cluster, ...(since !== undefined && { since }), ...(until !== undefined && { until }) }
  const recording = openRecording({ from, onProblem, ...wanted })
  const lines = inOrder(ofService(recording, key), DISORDER_MS)
  if (at !== undefined) {
    return printReport(await publishedAt(lines, key, at), output, describePublished)
  }
  if (file === undefined) return print(timelineOf(lines, filter), output)
  // Loaded when it is wanted: what draws charts would slow down every start.
  const { createHistoryReport } = await import('../../../history/report/index.ts')
  const report = createHistoryReport(`${cluster} ${service}`, filter)
  await print(addedTo(report, timelineOf(report.watch(lines), filter)), output)
  await writeReport(file, report.page())
}

async function print(entries: AsyncIterable<HistoryEntry>, output: HistoryOptions['output']): Promise<void> {
  const terminal = terminalOf(process.stdout)
  const isForPeople = output === 'text'
  for await (const text of isForPeople ? textOf(entries) : jsonOf(entries))
    if (!process.stdout.write(isForPeople ? fittedText(text, terminal) : text)) await drained()
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

function keyOf(cluster: string, text: string): ServiceKey {
  const { namespace, name } = parseService(text)
  if (namespace === undefined)
    throw new UsageError(`"${text}" names no namespace: give NAMESPACE/NAME, such as shop/web`)
  return { cluster, namespace, service: name }
}

async function* jsonOf(entries: AsyncIterable<HistoryEntry>): AsyncGenerator<string> {
  for await (const entry of entries) yield `${JSON.stringify(entry)}\n`
}

/** Writes the date once a day, and the time of day before each line. */
async function* textOf(entries: AsyncIterable<HistoryEntry>): AsyncGenerator<string> {
  let day = ''
  for await (const entry of entries) {
    const [date = '', time = ''] = new Date(entry.time).toISOString().slice(0, -1).split('T')
    const heading = date === day ? '' : `${date}\n`
    day = date
    yield `${heading}${describeEntry(entry)
      .map((line) => `${time}  ${line}\n`)
      .join('')}`
  }
  if (day === '') yield 'nothing happened to it in that time\n'
}

const drained = (): Promise<void> => new Promise((resolve) => void process.stdout.once('drain', resolve))
