import { ownerText } from '../../../shared/changes/index.ts'
import { printable } from '../../../shared/telemetry/index.ts'
import { ageText, columns, truncated } from '../../terminal/index.ts'
import type { QueuedLetter } from './scan.ts'

/** Maximum characters of an error in a table; `-o json` has all of it. */
const ERROR_WIDTH = 300

/** Makes the document of a dead letter. */
export function documentOf(letter: QueuedLetter): object {
  const { message, failureClass, reason, attempts, firstSent, sentTimestamp, sourceQueueArn, box } = letter
  const { cluster, namespace, service, ownerKind } = message ?? {}
  return {
    cluster,
    namespace,
    service,
    ownerKind,
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
      ageText(sentTimestamp, now),
      truncated(printable(reason), ERROR_WIDTH),
    ])
  const header = ['CLUSTER', 'SERVICE', 'CLASS', 'ATTEMPTS', 'AGE', 'LAST ERROR']
  return columns([header, ...rows])
    .map((line) => `${line}\n`)
    .join('')
}
