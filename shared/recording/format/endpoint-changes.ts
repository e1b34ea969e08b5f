import type { Endpoint } from '../../endpointslice/index.ts'
import {
  endpointKey,
  fieldsThatDiffer,
  isSameEndpoint,
  keyOf,
  pickFields,
  recordedEndpoint,
} from './endpoint.ts'
import { RecordingError } from './errors.ts'
import type { Alteration, WriteRecord } from './record.ts'

/** Differences between two versions of a slice's endpoints. */
export interface EndpointChanges {
  readonly came: readonly Endpoint[]
  readonly went: readonly Endpoint[]
  readonly changed: readonly Alteration[]
}

/**
 * Compares two versions of one slice, ignoring the order of its endpoints.
 * 1. Skip equal endpoints at both ends: most writes change a single endpoint.
 * 2. Skip equal endpoints at other positions.
 * 3. Match the remaining endpoints by key as changed, unless a key occurs more than once.
 */
export function endpointChanges(before: readonly Endpoint[], after: readonly Endpoint[]): EndpointChanges {
  // 1.
  const [olds, news] = withoutSameEnds(before, after)
  // 2.
  const left = Map.groupBy(olds, endpointKey)
  const others = news.filter((endpoint) => !takeFrom(left.get(endpointKey(endpoint)), endpoint))
  // 3.
  const came: Endpoint[] = []
  const changed: Alteration[] = []
  const isUnique = others.length > 0 && left.size > 0 ? uniqueIn(others, before, after) : () => false
  for (const endpoint of others) {
    const key = endpointKey(endpoint)
    const old = left.get(key)?.[0]
    if (old === undefined || !isUnique(key)) came.push(recordedEndpoint(endpoint))
    else {
      left.delete(key)
      changed.push(alterationOf(old, endpoint))
    }
  }
  return { came, went: [...left.values()].flat().map(recordedEndpoint), changed }
}

/**
 * Reapplies a recorded write.
 * @param before the endpoints of the slice at the version before the write
 * @throws RecordingError if the write was made on other endpoints
 */
export function endpointsAfter(
  before: readonly Endpoint[],
  { came, went, changed }: Pick<WriteRecord, 'came' | 'went' | 'changed'>,
): Endpoint[] {
  const endpoints = [...before]
  for (const { endpoint } of went) if (!takeFrom(endpoints, endpoint)) throw notMadeOn(endpoint.addresses)
  const places = new Map(changed.length === 0 ? [] : endpoints.map((old, index) => [endpointKey(old), index]))
  for (const { addresses, target, from, to } of changed) {
    const index = places.get(keyOf(addresses, target)) ?? -1
    const old = endpoints[index]
    if (old === undefined) throw notMadeOn(addresses)
    const unchanged = Object.entries(old).filter(([name]) => !(name in from))
    endpoints[index] = recordedEndpoint({ ...Object.fromEntries(unchanged), ...to, addresses: old.addresses })
  }
  return [...endpoints, ...came]
}

const notMadeOn = (addresses: readonly string[]): RecordingError =>
  new RecordingError(`does not follow: endpoint ${addresses.join(', ')} is not in the slice`)

function withoutSameEnds(
  before: readonly Endpoint[],
  after: readonly Endpoint[],
): [readonly Endpoint[], readonly Endpoint[]] {
  const shorter = Math.min(before.length, after.length)
  const isSameAt = (place: number, placeNow: number): boolean => {
    const old = before[place]
    const now = after[placeNow]
    return old !== undefined && now !== undefined && isSameEndpoint(old, now)
  }
  let start = 0
  while (start < shorter && isSameAt(start, start)) start++
  let end = 0
  while (end < shorter - start && isSameAt(before.length - 1 - end, after.length - 1 - end)) end++
  return [before.slice(start, before.length - end), after.slice(start, after.length - end)]
}

/** Removes an equal endpoint from a list. Reports whether there was one. */
function takeFrom(endpoints: Endpoint[] | undefined, wanted: Endpoint): boolean {
  const index = endpoints?.findIndex((endpoint) => isSameEndpoint(endpoint, wanted)) ?? -1
  if (index >= 0) endpoints?.splice(index, 1)
  return index >= 0
}

/**
 * Returns a function that reports whether a key occurs at most once in each of the two lists. Computes keys
 * only for endpoints that may match; in most slices these are few.
 */
function uniqueIn(
  endpoints: readonly Endpoint[],
  ...states: readonly (readonly Endpoint[])[]
): (key: string) => boolean {
  const addresses = new Set(endpoints.map(({ addresses: [first] }) => first))
  const repeated = new Set<string>()
  for (const state of states) {
    const seen = new Set<string>()
    for (const endpoint of state) {
      if (!addresses.has(endpoint.addresses[0])) continue
      const key = endpointKey(endpoint)
      if (seen.has(key)) repeated.add(key)
      seen.add(key)
    }
  }
  return (key) => !repeated.has(key)
}

function alterationOf(old: Endpoint, now: Endpoint): Alteration {
  const names = fieldsThatDiffer(old, now)
  const target = now.targetRef?.name
  return {
    addresses: now.addresses,
    ...(target !== undefined && { target }),
    from: pickFields(old, names),
    to: pickFields(now, names),
  }
}
