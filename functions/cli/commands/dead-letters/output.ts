import { ownerText } from '../../../../shared/changes/index.ts'
import { printable } from '../../../../shared/telemetry/index.ts'
import type { QueuedLetter } from './scan.ts'

/** Maximum characters of an error in a table; `-o json` has all of it. */
const ERROR_WIDTH = 300

/** Makes the document of a dead letter. */
export function documentOf(letter: QueuedLetter): object {
  const { message, failureClass, reason, attempts, firstSent, sentTimestamp, sourceQueueArn, box } = letter
  const { cluster, namespace, service } = message ?? {}
  return {
    cluster,
    namespace,
    service,
    class: failureClass,
    attempts,
    firstSent: new Date(firstSent).toISOString(),
    since: new Date(sentTimestamp).toISOString(),
    error: reason,
    id: letter.id,
    queue: box.url,
    sourceQueueArn,
  }
}

/** Writes a table with a heading; the letter that has waited longest comes first. */
export function table(letters: readonly QueuedLetter[], now: number): string {
  const rows = letters
    .toSorted((one, other) => one.sentTimestamp - other.sentTimestamp)
    .map(({ message, failureClass, attempts, sentTimestamp, reason }) => [
      message?.cluster ?? '-',
      message === undefined ? '-' : ownerText(message),
      failureClass,
      attempts === undefined ? '-' : String(attempts),
      ageText(now - sentTimestamp),
      shorten(printable(reason)),
    ])
  const lines = [['CLUSTER', 'SERVICE', 'CLASS', 'ATTEMPTS', 'AGE', 'LAST ERROR'], ...rows]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) => `${line.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ')}\n`)
    .join('')
}

const shorten = (text: string): string =>
  text.length <= ERROR_WIDTH ? text : `${text.slice(0, ERROR_WIDTH - 1)}…`

/** Formats an age as kubectl does: in the largest unit that it fills. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 120) return `${seconds}s`
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}
