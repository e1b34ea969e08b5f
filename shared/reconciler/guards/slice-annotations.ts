import type { EndpointSlice } from '../../endpointslice/index.ts'

/** On slices whose endpoints could not be verified: since when, RFC 3339. */
export const ANNOTATION_UNVERIFIED_SINCE = 'sliceflow.dev/unverified-since'
/** On a slice of a Service whose plan is held: since when, RFC 3339. */
export const ANNOTATION_HELD_SINCE = 'sliceflow.dev/held-since'
/** On a slice that others edited: how often we mended it in a row, when last, and how often each edit. */
export const ANNOTATION_REPAIRS = 'sliceflow.dev/repairs'

export const annotationOf = (slice: EndpointSlice, name: string): string | undefined =>
  slice.metadata?.annotations?.[name]

/** A copy with the annotation, or without it where there is no value. None of these is under the seal. */
export function withAnnotation(slice: EndpointSlice, name: string, value: string | undefined): EndpointSlice {
  const { [name]: _, ...others } = slice.metadata?.annotations ?? {}
  const annotations = value === undefined ? others : { ...others, [name]: value }
  return { ...slice, metadata: { ...slice.metadata, annotations } }
}

/** Whether a guard has left a note on the slice that the next look at its Service must heed. */
export const isNoted = (slice: EndpointSlice): boolean =>
  [ANNOTATION_UNVERIFIED_SINCE, ANNOTATION_HELD_SINCE].some((name) => annotationOf(slice, name) !== undefined)

/**
 * The earliest time that the annotation tells on any of the slices, in milliseconds since the epoch; none
 * that is still to come.
 */
export function earliestTime(
  slices: readonly EndpointSlice[],
  name: string,
  now: number,
): number | undefined {
  const times = slices
    .map((slice) => pastTime(annotationOf(slice, name), now))
    .filter((time) => time !== undefined)
  return times.length === 0 ? undefined : Math.min(...times)
}

/** Clocks of two instances of the function are not farther apart. */
const CLOCK_SKEW_MS = 60_000

/** In milliseconds since the epoch; `undefined` for no time, and for one that is still to come. */
export function pastTime(text: string | undefined, now: number): number | undefined {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) || time > now + CLOCK_SKEW_MS ? undefined : time
}

export const timeText = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** Whether the API server still shows it as there to stay. */
export const isAlive = ({ metadata }: EndpointSlice): boolean =>
  (metadata?.deletionTimestamp ?? null) === null

export const nameOf = ({ metadata }: EndpointSlice): string => metadata?.name ?? ''

export const byName = (a: EndpointSlice, b: EndpointSlice): number => (nameOf(a) < nameOf(b) ? -1 : 1)
