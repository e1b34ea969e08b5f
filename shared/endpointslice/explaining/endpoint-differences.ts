import { type PortSetKey, portSetKey } from '../endpoints/ports.ts'
import { isReady } from '../topology-hints/endpoint-hints.ts'
import type { AddressType, Endpoint, EndpointSlice } from '../types.ts'
import { portText } from './text.ts'

/** Difference of an endpoint: that it exists at all, or one of its fields. */
export type DifferenceKind =
  | 'missing'
  | 'unexpected'
  | 'duplicate'
  | 'addresses'
  | 'ports'
  | 'conditions'
  | 'nodeName'
  | 'zone'
  | 'hostname'
  | 'targetRef'
  | 'hints'

export interface EndpointDifference {
  readonly kind: DifferenceKind
  readonly addressType: AddressType
  /** `namespace/name` of what it is of, or its addresses. */
  readonly endpoint: string
  /** The slice that has it; empty for a missing one. */
  readonly slice: string
  /** Expected value in words; empty if nothing is expected, or nothing is there. */
  readonly expected: string
  readonly actual: string
}

interface Entry {
  readonly endpoint: Endpoint
  readonly slice: EndpointSlice
  readonly ports: PortSetKey
}

/**
 * Fields of an endpoint as texts to compare and to show. Hints count for ready endpoints only, as for
 * consumers.
 */
const FIELDS: Readonly<
  Record<Exclude<DifferenceKind, 'missing' | 'unexpected' | 'duplicate'>, (entry: Entry) => string>
> = {
  addresses: ({ endpoint }) => addressesText(endpoint),
  ports: ({ slice }) => (slice.ports ?? []).map(portText).sort().join(', ') || 'none',
  conditions: ({ endpoint }) => conditionsText(endpoint),
  nodeName: ({ endpoint }) => endpoint.nodeName ?? '',
  zone: ({ endpoint }) => endpoint.zone ?? '',
  hostname: ({ endpoint }) => endpoint.hostname ?? '',
  targetRef: ({ endpoint: { targetRef } }) =>
    targetRef ? `${targetRef.kind} uid ${targetRef.uid ?? ''}` : '',
  hints: ({ endpoint }) => (isReady(endpoint) ? hintsText(endpoint) : ''),
}
const FIELD_NAMES = Object.keys(FIELDS) as (keyof typeof FIELDS)[]

/**
 * Lists how the endpoints of some slices differ from those of others, an endpoint each, whatever slices they
 * are packed in. Two endpoints are the same if they are of the same object, or, if they are of none, have the
 * same addresses.
 * @example
 * ```ts
 * const slice = (...addresses: string[][]) => ({
 *   addressType: 'IPv4' as const,
 *   endpoints: addresses.map((addresses) => ({ addresses })),
 * })
 * const differences = endpointDifferences([slice(['10.0.0.5'])], [slice(['10.0.0.5'], ['10.0.0.6'])])
 * differences.map(({ kind }) => kind) // => ['missing']
 * ```
 */
export function endpointDifferences(
  actual: readonly EndpointSlice[],
  expected: readonly EndpointSlice[],
): EndpointDifference[] {
  const found = entriesOf(actual)
  const differences: EndpointDifference[] = []
  for (const [identity, wanted] of entriesOf(expected)) {
    differences.push(...compareAll(wanted, found.get(identity) ?? []))
    found.delete(identity)
  }
  for (const entries of found.values())
    for (const entry of entries) differences.push(presence('unexpected', entry))
  return differences
}

function entriesOf(slices: readonly EndpointSlice[]): Map<string, Entry[]> {
  const entries = new Map<string, Entry[]>()
  for (const slice of slices) {
    const ports = portSetKey(slice.ports ?? [])
    for (const endpoint of slice.endpoints ?? []) {
      const identity = `${slice.addressType} ${nameOf(endpoint)}`
      const list = entries.get(identity)
      if (list === undefined) entries.set(identity, [{ endpoint, slice, ports }])
      else list.push({ endpoint, slice, ports })
    }
  }
  return entries
}

/** Compares endpoints with one identity; more than one on a side are duplicates, or pods of the same name. */
function compareAll(wanted: readonly Entry[], actual: readonly Entry[]): EndpointDifference[] {
  const left = [...actual]
  const differences: EndpointDifference[] = []
  for (const entry of wanted) {
    const same = left.findIndex((other) => other.ports === entry.ports && haveSameAddresses(other, entry))
    const [other] = left.splice(Math.max(same, 0), 1)
    if (other === undefined) differences.push(presence('missing', entry))
    else differences.push(...compareFields(entry, other))
  }
  return [...differences, ...left.map((entry) => presence('duplicate', entry))]
}

const haveSameAddresses = (a: Entry, b: Entry): boolean =>
  addressesText(a.endpoint) === addressesText(b.endpoint)

function compareFields(wanted: Entry, found: Entry): EndpointDifference[] {
  const differences: EndpointDifference[] = []
  for (const kind of FIELD_NAMES) {
    const expected = FIELDS[kind](wanted)
    const actual = FIELDS[kind](found)
    if (expected !== actual) differences.push({ ...placeOf(found), kind, expected, actual })
  }
  return differences
}

function presence(kind: 'missing' | 'unexpected' | 'duplicate', entry: Entry): EndpointDifference {
  const text = `${addressesText(entry.endpoint)} (${conditionsText(entry.endpoint)})`
  const place = placeOf(entry)
  if (kind === 'missing') return { ...place, slice: '', kind, expected: text, actual: '' }
  return { ...place, kind, expected: '', actual: text }
}

const placeOf = ({
  endpoint,
  slice,
}: Entry): Pick<EndpointDifference, 'addressType' | 'endpoint' | 'slice'> => ({
  addressType: slice.addressType as AddressType,
  endpoint: nameOf(endpoint),
  slice: slice.metadata?.name ?? '',
})

function nameOf(endpoint: Endpoint): string {
  const { kind = '', namespace = '', name = '' } = endpoint.targetRef ?? {}
  if (name === '') return addressesText(endpoint)
  return kind === 'Pod' ? `${namespace}/${name}` : `${kind} ${namespace}/${name}`
}

const addressesText = ({ addresses }: Endpoint): string => (addresses ?? []).toSorted().join(', ')

function conditionsText({ conditions }: Endpoint): string {
  const { ready, serving, terminating } = conditions ?? {}
  const words = [
    ready === undefined ? 'ready unset' : ready ? 'ready' : 'not ready',
    serving === undefined ? 'serving unset' : serving ? 'serving' : 'not serving',
  ]
  if (terminating === undefined) words.push('terminating unset')
  else if (terminating) words.push('terminating')
  return words.join(', ')
}

function hintsText({ hints }: Endpoint): string {
  const names = (targets: readonly { name: string }[] | null | undefined): string =>
    (targets ?? [])
      .map(({ name }) => name)
      .toSorted()
      .join(', ')
  const { forZones, forNodes } = hints ?? {}
  const parts = [
    ...(forZones?.length ? [`zones ${names(forZones)}`] : []),
    ...(forNodes?.length ? [`nodes ${names(forNodes)}`] : []),
  ]
  return parts.join(', ')
}
