import type { Endpoint } from '../../endpointslice/index.ts'
import { withValues } from '../../values/index.ts'
import type { EndpointFields } from './record.ts'

/** Recorded fields of an endpoint, in addition to its addresses. */
const FIELDS = ['conditions', 'hostname', 'targetRef', 'nodeName', 'zone', 'hints'] as const

type Field = (typeof FIELDS)[number]

/** Returns the endpoint as it is recorded: without unset members, and without unknown ones. */
export const recordedEndpoint = (endpoint: Endpoint): Endpoint => ({
  addresses: endpoint.addresses,
  ...pickFields(endpoint, FIELDS),
})

/** Returns these fields as they are recorded; unset fields are absent. */
export function pickFields(endpoint: Endpoint, names: readonly Field[]): EndpointFields {
  return withValues(Object.fromEntries(names.map((name) => [name, recordedField(endpoint, name)])))
}

function recordedField({ conditions, targetRef, ...endpoint }: Endpoint, name: Field): EndpointFields[Field] {
  switch (name) {
    case 'conditions': {
      const { ready, serving, terminating } = conditions ?? {}
      return withoutEmpty({ ready, serving, terminating })
    }
    case 'targetRef': {
      const { kind, namespace, name: target, uid } = targetRef ?? {}
      return withoutEmpty({ kind, namespace, name: target, uid })
    }
    default:
      return endpoint[name] ?? undefined
  }
}

/** Returns undefined for an object without members, which an API server returns for unset fields. */
function withoutEmpty<T extends object>(object: T): T | undefined {
  const members = Object.entries(object).filter(([, value]) => value !== undefined && value !== null)
  return members.length === 0 ? undefined : (Object.fromEntries(members) as T)
}

/** Identifies a changed endpoint: an object keeps its name, and its addresses while it runs. */
export const endpointKey = ({ addresses, targetRef }: Endpoint): string => keyOf(addresses, targetRef?.name)

/** Returns the key of an endpoint with these addresses and this name in its targetRef. */
export const keyOf = (addresses: readonly string[], target: string | undefined): string =>
  `${addresses.join(',')} ${target ?? ''}`

export const fieldsThatDiffer = (one: Endpoint, other: Endpoint): Field[] =>
  FIELDS.filter((name) => !SAME[name](one, other))

/** Reports whether both have the same record. It runs for every endpoint, so it allocates nothing. */
export const isSameEndpoint = (one: Endpoint, other: Endpoint): boolean =>
  one === other || (haveSameAddresses(one, other) && FIELDS.every((name) => SAME[name](one, other)))

function haveSameAddresses({ addresses: some }: Endpoint, { addresses: others }: Endpoint): boolean {
  if (some.length !== others.length) return false
  for (let index = 0; index < some.length; index++) if (some[index] !== others[index]) return false
  return true
}

/** Reports whether both are equal; an API server may return null for unset fields. */
const isSame = (one: unknown, other: unknown): boolean => (one ?? undefined) === (other ?? undefined)

const SAME = {
  conditions: ({ conditions: one }, { conditions: other }) =>
    isSame(one?.ready, other?.ready) &&
    isSame(one?.serving, other?.serving) &&
    isSame(one?.terminating, other?.terminating),
  hostname: (one, other) => isSame(one.hostname, other.hostname),
  nodeName: (one, other) => isSame(one.nodeName, other.nodeName),
  zone: (one, other) => isSame(one.zone, other.zone),
  targetRef: ({ targetRef: one }, { targetRef: other }) =>
    isSame(one?.name, other?.name) &&
    isSame(one?.uid, other?.uid) &&
    isSame(one?.namespace, other?.namespace) &&
    isSame(one?.kind, other?.kind),
  hints: ({ hints: one }, { hints: other }) => one === other || JSON.stringify(one) === JSON.stringify(other),
} as const satisfies Readonly<Record<Field, (one: Endpoint, other: Endpoint) => boolean>>
