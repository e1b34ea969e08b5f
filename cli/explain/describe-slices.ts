import {
  type EndpointDifference,
  LABEL_MANAGED_BY,
  type SliceOutcome,
} from '../../shared/endpointslice/index.ts'
import { ageText, tableWithNotes } from '../terminal/index.ts'
import type { SliceReport } from './report.ts'

const HEADER = [
  'NAME',
  'MANAGED BY',
  'TYPE',
  'PORTS',
  'ENDPOINTS',
  'READY',
  'HINTED',
  'AGE',
  'CHANGE',
  'STATE',
]
const SLICE_OUTCOMES: Readonly<Record<SliceOutcome, string>> = {
  AsPlanned: 'as planned',
  Update: 'to be updated',
  Delete: 'to be deleted',
  BeingDeleted: 'being deleted',
  Foreign: 'not ours',
  Malformed: 'cannot be read',
}
/** Differences shown of one slice; `-o json` has all of them. */
const DIFFERENCES = 10

/** Writes a line for each slice, below it why it is not as planned and who edited it. `now`: milliseconds. */
export function describeSlices(slices: readonly SliceReport[], now: number): string[] {
  if (slices.length === 0) return []
  return tableWithNotes(
    HEADER,
    slices.map((slice) => ({ cells: cellsOf(slice, now), notes: notesOf(slice, now) })),
  )
}

const cellsOf = (slice: SliceReport, now: number): string[] => [
  slice.name,
  slice.managedBy || `(no label ${LABEL_MANAGED_BY})`,
  slice.addressType,
  slice.ports.join(', ') || '-',
  String(slice.endpoints),
  String(slice.ready),
  String(slice.hinted),
  ageText(slice.created, now),
  ageText(slice.triggerTime, now),
  SLICE_OUTCOMES[slice.outcome],
]

function notesOf(slice: SliceReport, now: number): string[] {
  const { reasons, differences } = slice
  const shown = differences.slice(0, DIFFERENCES).map(differenceText)
  const more = differences.length - shown.length
  return [...reasons, ...shown, ...(more > 0 ? [`… and ${more} more`] : []), ...sealNotes(slice, now)]
}

function differenceText({ kind, endpoint, expected, actual }: EndpointDifference): string {
  if (kind === 'missing') return `will get ${named(endpoint, expected)}`
  if (kind === 'unexpected' || kind === 'duplicate') return `will lose ${named(endpoint, actual)}`
  return `${endpoint}: ${kind} is ${actual || 'not set'}, will be ${expected || 'not set'}`
}

/** Adds the endpoint's name to a text. A text about no object begins with its addresses already. */
const named = (endpoint: string, text: string): string =>
  text.startsWith(`${endpoint} `) ? text : `${endpoint}: ${text}`

function sealNotes({ seal, lastWrite }: SliceReport, now: number): string[] {
  const who =
    lastWrite === undefined
      ? 'an unknown client'
      : `${lastWrite.manager} (${ageText(lastWrite.time, now)} ago)`
  if (seal === 'Edited') return [`edited since we wrote it, last by ${who}`]
  if (seal === 'Absent')
    return [`without our seal: written by an older version or by another client, last by ${who}`]
  return []
}
