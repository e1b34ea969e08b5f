import { hash } from 'node:crypto'
import {
  ENDPOINT_SELECTOR_OWNER,
  type Endpoint,
  type EndpointPort,
  type EndpointSlice,
  type OwnerReference,
} from '../../endpointslice/index.ts'

/**
 * Lists what a slice says, each fact a text, in an order that does not depend on that of its labels,
 * endpoints and ports. Labels count whatever their value: consumers ask some of them only whether they are
 * there. Of the owners only Services, EndpointSelectors
 * and Endpoints count, as only these make a slice ours.
 */
export function factsOf({ metadata, addressType, endpoints, ports }: EndpointSlice): string[] {
  const owners = (metadata?.ownerReferences ?? []).flatMap((owner) => ownerText(owner) ?? [])
  return [
    `type ${addressType}`,
    ...Object.entries(metadata?.labels ?? {}).map(([name, value]) => `label ${name}=${value}`),
    ...owners,
    ...(endpoints ?? []).map((endpoint) => `endpoint ${endpointText(endpoint)}`),
    ...(ports ?? []).map((port) => `port ${portText(port)}`),
  ].sort()
}

/**
 * Computes a digest of what differs between two slices: of labels their names, and of all else also the
 * values.
 */
export function differenceDigest(one: EndpointSlice, other: EndpointSlice): string {
  const facts = numbered(factsOf(one)).symmetricDifference(numbered(factsOf(other)))
  const differences = new Set([...facts].map((fact) => (fact.startsWith('label ') ? labelIn(fact) : fact)))
  return digestOf([...differences].sort())
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

export const digestOf = (facts: readonly string[]): string =>
  hash('sha256', facts.join('\n'), 'base64url').slice(0, 22)

/**
 * Writes an owner that counts. A Service is not named as such, so that slices that were sealed before
 * Endpoints counted stay sealed.
 */
function ownerText({ apiVersion, kind, name, uid }: OwnerReference): string | undefined {
  if (kind === 'Service') return `owner ${apiVersion} ${name} ${uid}`
  const counts = kind === 'Endpoints' || kind === ENDPOINT_SELECTOR_OWNER.kind
  return counts ? `owner ${kind} ${apiVersion} ${name} ${uid}` : undefined
}

/**
 * Writes what consumers and plans read. A member that a later API server fills in by itself is no edit.
 * Empty and absent members are alike, as an API server fills in the one and leaves out the other.
 */
function endpointText(endpoint: Endpoint): string {
  const { addresses, conditions, deprecatedTopology, hints, hostname, nodeName, targetRef, zone } = endpoint
  const { apiVersion, fieldPath, kind, name, namespace, uid } = targetRef ?? {}
  return JSON.stringify([
    ...[listed(addresses), conditions?.ready, conditions?.serving, conditions?.terminating],
    ...[hostname || null, nodeName || null, zone || null],
    ...[apiVersion || null, fieldPath || null, kind || null, name || null, namespace || null, uid || null],
    ...[
      listed(hints?.forNodes),
      listed(hints?.forZones),
      listed(Object.entries(deprecatedTopology ?? {}).sort()),
    ],
  ])
}

const portText = ({ appProtocol, name, port, protocol }: EndpointPort): string =>
  JSON.stringify([appProtocol || null, name || null, port, protocol || null])

const listed = <T>(list: readonly T[] | null | undefined): readonly T[] | null => (list?.length ? list : null)

/** Reports whether an API server may leave it out. */
export const isEmpty = (member: unknown): boolean =>
  member === undefined ||
  member === null ||
  member === '' ||
  (typeof member === 'object' && Object.keys(member).length === 0)
