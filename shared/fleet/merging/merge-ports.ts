import { isDeepStrictEqual } from 'node:util'
import { listWithLimit } from '../faults.ts'
import { fleetPolicyText } from '../policy/fleet-policy.ts'
import type { ImportPort } from '../resources.ts'
import { ANNOTATION_FLEET_POLICY } from '../well-known.ts'
import type { WantedCondition } from './merged-service.ts'
import type { Offer } from './parse-export.ts'
import { createPortUnion, portSetOf } from './port-union.ts'

/** Offers in the order of their age; there is one at least. */
export type Offers = readonly [Offer, ...Offer[]]

interface Conflict {
  readonly reason: string
  readonly message: string
}

/** A port that the import cannot have beside those of older exports. */
interface LostPort {
  readonly cluster: string
  readonly port: ImportPort
  readonly reason: string
}

type MergedPorts = ReturnType<typeof mergePorts>

/** Puts the ports of all offers together, as far as they go together. */
export function mergePorts(offers: Offers) {
  const union = createPortUnion()
  const lost: LostPort[] = []
  for (const { cluster, ports } of offers) {
    for (const port of ports) {
      const reason = union.add(port)
      if (reason !== undefined) lost.push({ cluster, port, reason })
    }
  }
  return { ports: union.ports, lost }
}

/** A field whose value is that of the oldest export. */
interface Field {
  readonly name: string
  readonly reason: string
  readonly of: (offer: Offer) => unknown
  /** An export that says nothing of it agrees with all others. */
  readonly isOptional?: true
}

const FIELDS: readonly Field[] = [
  { name: 'type', reason: 'TypeConflict', of: ({ type }) => type },
  {
    name: 'sessionAffinity',
    reason: 'SessionAffinityConflict',
    of: ({ sessionAffinity }) => sessionAffinity,
  },
  {
    name: 'sessionAffinityConfig.clientIP.timeoutSeconds',
    reason: 'SessionAffinityConfigConflict',
    of: ({ timeoutSeconds }) => timeoutSeconds,
  },
  { name: 'exportedLabels', reason: 'LabelsConflict', of: ({ labels }) => labels },
  { name: 'exportedAnnotations', reason: 'AnnotationsConflict', of: ({ annotations }) => annotations },
  {
    name: 'internalTrafficPolicy',
    reason: 'InternalTrafficPolicyConflict',
    of: ({ internalTrafficPolicy }) => internalTrafficPolicy,
  },
  {
    name: 'trafficDistribution',
    reason: 'TrafficDistributionConflict',
    of: ({ trafficDistribution }) => trafficDistribution,
  },
  {
    name: 'clusterSelectors',
    reason: 'ClusterSelectorsConflict',
    of: ({ clusterSelectors }) => clusterSelectors,
  },
  {
    name: ANNOTATION_FLEET_POLICY,
    reason: 'FleetPolicyConflict',
    of: ({ policy }) => policy && fleetPolicyText(policy),
    isOptional: true,
  },
]

/** Returns the condition `Conflict` of all valid exports of a Service: the same for each. */
export function conflictCondition(offers: Offers, merged: MergedPorts): WantedCondition {
  const conflicts = [
    portConflict(offers, merged),
    ...FIELDS.map((field) => fieldConflict(field, offers)),
    familyConflict(offers),
  ].filter((conflict) => conflict !== undefined)
  if (conflicts.length === 0) {
    return { type: 'Conflict', status: 'False', reason: 'NoConflicts', message: 'All exports agree.' }
  }
  return {
    type: 'Conflict',
    status: 'True',
    reason: conflicts.map(({ reason }) => reason).join(),
    message: conflicts.map(({ message }) => message).join(' '),
  }
}

function fieldConflict({ name, reason, of, isOptional }: Field, offers: Offers): Conflict | undefined {
  const [oldest] = offers
  const value = of(oldest)
  const others = offers.filter(
    (offer) => !isDeepStrictEqual(of(offer), value) && !(isOptional && of(offer) === undefined),
  )
  if (others.length === 0) return undefined
  const shown = typeof value === 'object' ? 'those' : (value ?? 'unset, that')
  return { reason, message: `${name}: ${shown} of ${winner(oldest)}; ${share(others, offers)}.` }
}

function portConflict(offers: Offers, { lost }: MergedPorts): Conflict | undefined {
  const [oldest] = offers
  const set = portSetOf(oldest.ports)
  const others = offers.filter(({ ports }) => portSetOf(ports) !== set)
  if (others.length === 0) return undefined
  const texts = lost.map(
    ({ cluster, port, reason }) =>
      `${[port.name, `${port.port}/${port.protocol}`].filter(Boolean).join(' ')} of ${cluster} (${reason})`,
  )
  const leftOut = texts.length === 0 ? '' : `, left out: ${listWithLimit(texts)}`
  return {
    reason: 'PortConflict',
    message: `ports: those of ${winner(oldest)}, come first; ${share(others, offers)}${leftOut}.`,
  }
}

/** Finds families that not all exports have: clients of such a family alone reach some backends. */
function familyConflict(offers: Offers): Conflict | undefined {
  const lacking = (['IPv4', 'IPv6'] as const)
    .map((family) => ({ family, others: offers.filter(({ families }) => !families.includes(family)) }))
    .filter(({ others }) => others.length > 0 && others.length < offers.length)
  if (lacking.length === 0) return undefined
  const texts = lacking.map(
    ({ family, others }) => `${family} does not reach ${count(others, offers)} (${named(others)})`,
  )
  return { reason: 'IPFamilyConflict', message: `ipFamilies: ${texts.join(', ')}.` }
}

const winner = ({ cluster }: Offer): string => `${cluster}, the oldest export`
const count = (some: readonly Offer[], all: readonly Offer[]): string =>
  `${some.length} of ${all.length} clusters`
const named = (offers: readonly Offer[]): string => listWithLimit(offers.map(({ cluster }) => cluster))
const share = (others: readonly Offer[], all: readonly Offer[]): string =>
  `${count(others, all)} ${others.length === 1 ? 'differs' : 'differ'} (${named(others)})`
