import { printable } from '../../shared/telemetry/index.ts'
import { counted, durationText } from '../terminal/index.ts'
import { describeEvents } from './describe-events.ts'
import type { FoundEntry, GoneEntry, HistoryEntry, SentEntry, WriteEntry } from './entry.ts'

/** Describes an entry for people: what happened, a line each, and the details below it, indented by two. */
export const describeEntry = (entry: HistoryEntry): string[] => linesOf(entry).map(printable)

function linesOf(entry: HistoryEntry): string[] {
  switch (entry.kind) {
    case 'Write':
      return describeWrite(entry)
    case 'Found':
      return describeFound(entry)
    case 'Gone':
      return describeGone(entry)
    case 'Sent':
      return [describeSent(entry)]
    case 'Lost':
      return [
        `${counted(entry.count, 'record')} of ${writerOf(entry)} ${entry.count === 1 ? 'is' : 'are'} missing`,
      ]
  }
}

const DONE = {
  create: ['new slice', 'made'],
  update: ['slice', 'written'],
  delete: ['slice', 'deleted'],
} as const

function describeWrite(entry: WriteEntry): string[] {
  const { slice, action, endpoints } = entry
  const [noun, done] = DONE[action]
  const by = `${done} by ${writerOf(entry)}${delayOf(entry)}`
  const events = describeEvents(endpoints)
  const without = action === 'update' ? 'with the same endpoints' : 'without endpoints'
  const lines =
    events.length === 0
      ? [`${noun} ${slice} ${without}, ${by}`]
      : events.map((event) => `${event}; ${noun} ${slice}, ${by}`)
  return [...lines, ...notesOf(entry).map((note) => `  ${note}`)]
}

function describeFound({ slice, sliceVersion, knownVersion, endpoints, ...entry }: FoundEntry): string[] {
  const reader = `read by ${writerOf(entry)}`
  if (knownVersion === undefined) {
    const count = counted(entry.count, 'endpoint')
    const events = describeEvents(endpoints)
    return [
      `slice ${slice} has ${count} when its records begin, ${reader}`,
      ...events.map((event) => `  ${event}`),
    ]
  }
  const by = `slice ${slice}, written by another client, or records are missing (version ${knownVersion} → ${sliceVersion})`
  return describeEvents(endpoints).map((event) => `${event}; ${by}, ${reader}`)
}

function describeGone({ slice, sliceVersion, endpoints, ...entry }: GoneEntry): string[] {
  const gone = `slice ${slice} (version ${sliceVersion}) is gone, deleted by another client; noticed by ${writerOf(entry)}`
  return [gone, ...describeEvents(endpoints).map((event) => `  ${event}`)]
}

function describeSent({ about, count, lane, pods = [] }: SentEntry): string {
  const named = pods.length > 0 ? `: pods ${pods.join(', ')}` : ''
  const on = lane === undefined ? '' : ` on the ${lane} lane`
  return `the relay sent its key${on} after ${counted(count, 'change')} (${about.join(', ')})${named}`
}

const writerOf = ({ worker, request }: Pick<HistoryEntry, 'worker' | 'request'>): string =>
  request === undefined ? worker : `${worker} in request ${request}`

/** Describes the delay of a write, as far as the clocks of cluster, relay and worker agree. */
function delayOf({ time, trigger, message }: WriteEntry): string {
  const parts: string[] = []
  const since = (then: string | undefined): number => Date.parse(time) - Date.parse(then ?? '')
  const change = since(trigger)
  // Kubernetes gives most times in whole seconds, rounded down.
  const isRough = trigger !== undefined && !trigger.includes('.')
  if (change >= 0) parts.push(`${isRough ? 'at most ' : ''}${durationText(change)} after the change`)
  const sent = since(message?.sentAt)
  if (sent >= 0) parts.push(`${durationText(sent)} after its key was sent`)
  return parts.length === 0 ? '' : ` ${parts.join(', ')}`
}

const HOLDS = {
  held: 'the plan is held, as it removes too much: only a note of it is written',
  released: 'the plan had been held, as it removes much, and was released',
  expired: 'the plan had been held, as it removes much, for as long as plans are held',
} as const

function notesOf({ hold, fights = [], message, isGap, ports, action }: WriteEntry): string[] {
  const receives = message?.receiveCount ?? 1
  return [
    ...(isGap ? ['a write of this slice before it is not in the recording'] : []),
    ...(action === 'update' && ports ? ['the ports of the slice changed'] : []),
    ...(hold ? [HOLDS[hold]] : []),
    ...(fights.length > 0 ? [`left alone, as another client keeps editing them: ${fights.join(', ')}`] : []),
    ...(message?.lane === 'sweep' ? ['the key came by the sweep lane'] : []),
    ...(receives > 1 ? [`the queue had delivered its message ${receives} times`] : []),
  ]
}
