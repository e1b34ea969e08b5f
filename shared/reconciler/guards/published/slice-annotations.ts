import type { EndpointSlice } from '../../../endpointslice/index.ts'

/** Marks slices whose endpoints cannot be verified: since when, RFC 3339. */
export const ANNOTATION_UNVERIFIED_SINCE = 'sliceflow.dev/unverified-since'
/** Marks a slice of a Service whose plan is held: since when, RFC 3339. */
export const ANNOTATION_HELD_SINCE = 'sliceflow.dev/held-since'
/** Marks a slice that others edited: consecutive repairs, time of the last, and their number by edit. */
export const ANNOTATION_REPAIRS = 'sliceflow.dev/repairs'

export const annotationOf = (slice: EndpointSlice, name: string): string | undefined =>
  slice.metadata?.annotations?.[name]

/** Returns a copy with the annotation, or without it if there is no value. The seal covers none of these. */
export function withAnnotation(slice: EndpointSlice, name: string, value: string | undefined): EndpointSlice {
  const { [name]: _, ...others } = slice.metadata?.annotations ?? {}
  const annotations = value === undefined ? others : { ...others, [name]: value }
  return { ...slice, metadata: { ...slice.metadata, annotations } }
}

/** Reports whether a guard has left a note on the slice that the next sync of its Service must heed. */
export const isNoted = (slice: EndpointSlice): boolean =>
  [ANNOTATION_UNVERIFIED_SINCE, ANNOTATION_HELD_SINCE].some((name) => annotationOf(slice, name) !== undefined)

/** Returns the earliest time in the annotation of any slice, in milliseconds; none of the future counts. */
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

/** Parses a time into milliseconds since the epoch; returns `undefined` if it is none, or in the future. */
export function pastTime(text: string | undefined, now: number): number | undefined {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) || time > now + CLOCK_SKEW_MS ? undefined : time
}

export const timeText = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** Reports whether the API server is not about to delete the slice. */
export const isAlive = ({ metadata }: EndpointSlice): boolean =>
  (metadata?.deletionTimestamp ?? null) === null

export const nameOf = ({ metadata }: EndpointSlice): string => metadata?.name ?? ''

export const byName = (a: EndpointSlice, b: EndpointSlice): number => (nameOf(a) < nameOf(b) ? -1 : 1)
