import { hash } from 'node:crypto'
import {
  ANNOTATION_NETWORK_STATUS,
  ANNOTATION_TOPOLOGY_HINTS,
  ANNOTATION_TOPOLOGY_MODE,
  canonicalTriggerTime,
  LABEL_ZONE,
  type Node,
  type Pod,
  type Service,
} from '../endpointslice/index.ts'
import { ANNOTATION_RELEASE, SELECTION_ANNOTATIONS } from './custom-selection.ts'

/** The digest of a pod that no slice would hold: terminal, or without an address. */
export const NO_ENDPOINT = ''

/**
 * What of a Pod enters an endpoint, as one short text; two equal texts make equal endpoints. Ports are not in it: a
 * pod's ports never change while its uid stays.
 */
export function podDigest({ metadata, spec, status }: Pod): string {
  const addresses = status?.podIPs?.length ? status.podIPs.map(({ ip }) => ip) : [status?.podIP]
  const addressText = addresses.filter(Boolean).join(',')
  if (addressText === '' || status?.phase === 'Failed' || status?.phase === 'Succeeded') return NO_ENDPOINT
  const terminating = (metadata?.deletionTimestamp ?? undefined) === undefined ? '' : 'terminating'
  const ready = readyCondition(status)?.status === 'True' ? 'ready' : ''
  const digest = [
    metadata?.uid,
    addressText,
    spec?.nodeName,
    ready,
    terminating,
    spec?.hostname,
    typeof spec?.subdomain === 'string' ? spec.subdomain : '',
    networksDigest(metadata?.annotations?.[ANNOTATION_NETWORK_STATUS]),
  ].join('|')
  return digest.length <= LONGEST_DIGEST ? digest : shortHash(digest)
}

/** Twice what the fields of an ordinary pod take, in characters. */
const LONGEST_DIGEST = 400

const shortHash = (text: string): string => hash('sha256', text, 'base64url').slice(0, 16)

/** The annotation is long, and only whether it changed is of interest. */
const networksDigest = (annotation: unknown): string =>
  typeof annotation === 'string' ? shortHash(annotation) : ''

/** When the pod last became ready or ceased to be; the trigger time of upstream's EndpointSlice controller. */
export const readyTransitionTime = (pod: Pod): string | undefined =>
  knownTime(readyCondition(pod.status)?.lastTransitionTime)

/** A time in the form that a message may carry; an API server says null for one that was never set. */
export function knownTime(time: unknown): string | undefined {
  return (typeof time === 'string' && canonicalTriggerTime(time)) || undefined
}

/** A version in the form that a message may carry; an API server sends nothing else. */
export function knownVersion(version: unknown): string | undefined {
  return typeof version === 'string' && /^[\x21-\x7e]{1,64}$/.test(version) ? version : undefined
}

function readyCondition(status: Pod['status']): { status: string; lastTransitionTime?: unknown } | undefined {
  const conditions = status?.conditions
  return Array.isArray(conditions) ? conditions.find(({ type }) => type === 'Ready') : undefined
}

/** What of a Service enters its slices. Status, managedFields and other annotations do not. */
export function serviceDigest({ metadata, spec }: Service): string {
  const annotations = metadata?.annotations ?? {}
  const content = [
    metadata?.uid,
    metadata?.deletionTimestamp,
    Object.entries(metadata?.labels ?? {}).sort(),
    SELECTION_ANNOTATIONS.map((name) => annotations[name]),
    annotations[ANNOTATION_RELEASE],
    annotations[ANNOTATION_TOPOLOGY_MODE],
    annotations[ANNOTATION_TOPOLOGY_HINTS],
    Object.entries(spec?.selector ?? {}).sort(),
    spec?.type,
    spec?.ports,
    spec?.clusterIP,
    spec?.ipFamilies,
    spec?.publishNotReadyAddresses,
    spec?.trafficDistribution,
  ]
  return hash('sha256', JSON.stringify(content), 'base64url')
}

export interface NodeDigest {
  /** What of the node enters the endpoints on it. */
  readonly zone: string
  /** What of it enters topology hints: whether it counts, and its share. */
  readonly capacity: string
}

const CONTROL_PLANE_LABELS = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master']

export function nodeDigest({ metadata, status }: Node): NodeDigest {
  const labels = metadata?.labels ?? {}
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status
  const excluded = CONTROL_PLANE_LABELS.some((label) => label in labels)
  const cpu = JSON.stringify(status?.allocatable?.cpu ?? '').slice(0, 64)
  return { zone: labels[LABEL_ZONE] ?? '', capacity: `${ready === 'True'}|${excluded}|${cpu}` }
}
