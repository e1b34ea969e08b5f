import { hash } from 'node:crypto'
import type { Endpoint, EndpointPort, EndpointSlice, OwnerReference } from '../../endpointslice/index.ts'
import { otherOwner } from '../owners/find-owner.ts'

/** What a slice says, in an order that does not depend on that of its labels, owners, endpoints and ports. */
interface SliceContent {
  readonly type: string
  /** They count whatever their value: consumers ask some of them only whether they are there. */
  readonly labels: readonly (readonly [name: string, value: string])[]
  /** Only owners of slices and Endpoints count, as only these make a slice ours. */
  readonly owners: readonly string[]
  readonly endpoints: readonly EndpointContent[]
  readonly ports: readonly string[]
}

function contentOf({ metadata, addressType, endpoints, ports }: EndpointSlice): SliceContent {
  return {
    type: addressType,
    labels: Object.entries(metadata?.labels ?? {}).sort(([one], [other]) => compare(one, other)),
    owners: (metadata?.ownerReferences ?? []).flatMap((owner) => ownerText(owner) ?? []).sort(),
    endpoints: (endpoints ?? []).map(endpointContent).sort(compareEndpoints),
    ports: (ports ?? []).map(portText).sort(),
  }
}

/** Computes a digest of what a slice says. */
export const contentDigest = (slice: EndpointSlice): string => digestOf(contentOf(slice))

/** Computes a digest of the differences of two slices; of labels only the names count. */
export function differenceDigest(one: EndpointSlice, other: EndpointSlice): string {
  const facts = numbered(factsOf(one)).symmetricDifference(numbered(factsOf(other)))
  const differences = new Set([...facts].map((fact) => (fact.startsWith('label ') ? labelIn(fact) : fact)))
  return digestOf([...differences].sort())
}

/** Lists what a slice says, each fact a text. */
function factsOf(slice: EndpointSlice): string[] {
  const { type, labels, owners, endpoints, ports } = contentOf(slice)
  return [
    `type ${type}`,
    ...labels.map(([name, value]) => `label ${name}=${value}`),
    ...owners.map((owner) => `owner ${owner}`),
    ...endpoints.map((endpoint) => `endpoint ${JSON.stringify(endpoint)}`),
    ...ports.map((port) => `port ${port}`),
  ]
}

/** Numbers facts that repeat, such as an endpoint that is there twice. */
function numbered(facts: readonly string[]): Set<string> {
  const distinct = new Set<string>()
  for (let fact of facts) {
    while (distinct.has(fact)) fact += ' again'
    distinct.add(fact)
  }
  return distinct
}

/** Returns a label without its value, which does not count: it may be a time or a number of a write. */
const labelIn = (fact: string): string => fact.slice(0, fact.indexOf('='))

export const digestOf = (content: unknown): string =>
  hash('sha256', JSON.stringify(content), 'base64url').slice(0, 22)

/** Writes an owner that counts. */
function ownerText({ apiVersion, kind, name, uid }: OwnerReference): string | undefined {
  const counts = kind === 'Service' || kind === 'Endpoints' || otherOwner(kind) !== undefined
  return counts ? `${kind} ${apiVersion} ${name} ${uid}` : undefined
}

/**
 * What consumers and plans read of an endpoint. A member that a later API server fills in by itself is no
 * edit. Empty and absent members are alike, as an API server fills in the one and leaves out the other.
 */
type EndpointContent = readonly [addresses: readonly string[] | null, ...unknown[]]

function endpointContent(endpoint: Endpoint): EndpointContent {
  const { addresses, conditions, deprecatedTopology, hints, hostname, nodeName, targetRef, zone } = endpoint
  const { apiVersion, fieldPath, kind, name, namespace, uid } = targetRef ?? {}
  return [
    ...([listed(addresses), conditions?.ready, conditions?.serving, conditions?.terminating] as const),
    ...[hostname || null, nodeName || null, zone || null],
    ...[apiVersion || null, fieldPath || null, kind || null, name || null, namespace || null, uid || null],
    ...[listed(hints?.forNodes), listed(hints?.forZones)],
    listed(Object.entries(deprecatedTopology ?? {}).sort()),
  ]
}

/** Most differ in their first address. */
const compareEndpoints = (one: EndpointContent, other: EndpointContent): number =>
  compare(one[0]?.[0] ?? '', other[0]?.[0] ?? '') || compare(JSON.stringify(one), JSON.stringify(other))

const compare = (one: string, other: string): number => Number(one > other) - Number(one < other)

const portText = ({ appProtocol, name, port, protocol }: EndpointPort): string =>
  JSON.stringify([appProtocol || null, name || null, port, protocol || null])

const listed = <T>(list: readonly T[] | null | undefined): readonly T[] | null => (list?.length ? list : null)
