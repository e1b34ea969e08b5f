import { hash } from 'node:crypto'
import { ANNOTATION_NETWORK_STATUS, type Pod } from '../../endpointslice/index.ts'
import type { EndpointFacts, NamedPort } from '../key-queue/sync-hint.ts'

/** The digest of a pod that no slice would hold: terminal, or without an address. */
export const NO_ENDPOINT = ''

/** Twice what the fields of an ordinary pod take, in characters. */
const MAX_DIGEST_LENGTH = 400

/**
 * Writes the facts of a Pod that enter an endpoint as one short text; two equal texts make equal endpoints.
 * Ports are not in it: a pod's ports never change while its uid stays.
 */
export function podDigest({ metadata, spec, status }: Pod): string {
  const ips = status?.podIPs?.length ? status.podIPs.flatMap(({ ip }) => ip || []) : (status?.podIP ?? '')
  if (ips.length === 0 || status?.phase === 'Failed' || status?.phase === 'Succeeded') return NO_ENDPOINT
  const facts: EndpointFacts = [
    metadata?.uid ?? null,
    ips,
    spec?.nodeName ?? '',
    readyCondition(status)?.status === 'True' ? 1 : 0,
    (metadata?.deletionTimestamp ?? undefined) === undefined ? 0 : 1,
    spec?.hostname ?? '',
    typeof spec?.subdomain === 'string' ? spec.subdomain : '',
    networksDigest(metadata?.annotations?.[ANNOTATION_NETWORK_STATUS]),
  ]
  const digest = JSON.stringify(facts)
  return digest.length <= MAX_DIGEST_LENGTH ? digest : shortHash(digest)
}

/** Whether a Service would lead to the Pod: `draining` if it serves still but is being deleted. */
export type PodTraffic = 'ready' | 'draining' | 'none'

/** @param digest of {@link podDigest} */
export function podTraffic({ metadata, status }: Pod, digest: string): PodTraffic {
  if (digest === NO_ENDPOINT || readyCondition(status)?.status !== 'True') return 'none'
  return (metadata?.deletionTimestamp ?? undefined) === undefined ? 'ready' : 'draining'
}

/**
 * Reports whether a Service's traffic can do without the change for a while: no address is to get traffic by
 * it, and one that gets some serves it still.
 */
export const isDeferrable = (before: PodTraffic, after: PodTraffic): boolean =>
  after !== 'ready' && (before !== 'ready' || after === 'draining')

/** Only facts begin so; a hash holds no bracket. */
const FACTS = '['

/** Returns what a digest says; nothing of a Pod without an endpoint, or of one whose facts are too long. */
export const factsOfDigest = (digest: string): EndpointFacts | undefined =>
  digest.startsWith(FACTS) ? JSON.parse(digest) : undefined

/** @param ports of {@link namedPorts} */
export const parsePorts = (ports: string): readonly NamedPort[] => (ports === '' ? [] : JSON.parse(ports))

/**
 * Restores the Pod as far as a plan reads it.
 * @param key its `namespace/name`
 * @param ports of {@link namedPorts}
 * @returns nothing where the digest does not say
 */
export function podOfDigest(key: string, digest: string, ports: string): Pod | undefined {
  const facts = factsOfDigest(digest)
  return facts && podOfFacts(key, facts, parsePorts(ports))
}

/** Makes the Pod as far as a plan reads it. @param key its `namespace/name` */
export function podOfFacts(key: string, facts: EndpointFacts, ports: readonly NamedPort[]): Pod {
  const [uid, addresses, nodeName, isReady, isTerminating, hostname, subdomain] = facts
  const [namespace = '', name = ''] = key.split('/')
  return {
    metadata: {
      name,
      namespace,
      ...(uid !== null && { uid }),
      ...(isTerminating === 1 && { deletionTimestamp: SOME_TIME }),
    },
    spec: { nodeName, hostname, subdomain, containers: [{ name: '', ports: [...ports] }] },
    status: {
      ...(typeof addresses === 'string' ? { podIP: addresses } : { podIPs: addresses.map((ip) => ({ ip })) }),
      conditions: [{ type: 'Ready', status: isReady === 1 ? 'True' : 'False' }],
    },
  }
}

/** A plan asks whether there is one. */
const SOME_TIME = '1970-01-01T00:00:00Z'

/** Lists the ports that a Service can find by name, in the order of the search; empty without any. */
export function namedPorts({ spec }: Pod): string {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  const named = [...(spec?.containers ?? []), ...sidecars].flatMap(({ ports }) =>
    (ports ?? []).flatMap(({ name, protocol, containerPort }) =>
      name === undefined || name === '' ? [] : [{ name, protocol, containerPort }],
    ),
  )
  return named.length === 0 ? '' : JSON.stringify(named)
}

const shortHash = (text: string): string => hash('sha256', text, 'base64url').slice(0, 16)

/** Hashes the annotation, which is long; it only matters whether it changed. */
const networksDigest = (annotation: unknown): string =>
  typeof annotation === 'string' ? shortHash(annotation) : ''

export function readyCondition(
  status: Pod['status'],
): { status: string; lastTransitionTime?: unknown } | undefined {
  const conditions = status?.conditions
  return Array.isArray(conditions) ? conditions.find(({ type }) => type === 'Ready') : undefined
}
