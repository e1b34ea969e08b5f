import { hash } from 'node:crypto'
import {
  ANNOTATION_TOPOLOGY_HINTS,
  ANNOTATION_TOPOLOGY_MODE,
  canonicalTriggerTime,
  type EndpointSelector,
  LABEL_ZONE,
  type Node,
  type Pod,
  projectedUid,
  projectionOf,
  projectionText,
  type SelectorService,
  type Service,
} from '../../endpointslice/index.ts'
import { ENDPOINT_SELECTOR } from '../key-queue/key.ts'
import { otherOwner } from '../owners/find-owner.ts'
import { misspeltAnnotation, SERVICE_ANNOTATIONS } from '../selection/misspelt-annotation.ts'
import { ANNOTATION_PAUSED, ANNOTATION_RELEASE, OVERRIDE_ANNOTATIONS } from '../sources/annotations.ts'
import { SELECTION_ANNOTATIONS } from '../sources/selection-rules.ts'
import { readyCondition } from './pod-facts.ts'

/** Returns when the Pod last became ready or unready: upstream's trigger time. */
export const readyTransitionTime = (pod: Pod): string | undefined =>
  knownTime(readyCondition(pod.status)?.lastTransitionTime)

/** Returns a time in the form of a message; an API server says null for one that was never set. */
export function knownTime(time: unknown): string | undefined {
  return (typeof time === 'string' && canonicalTriggerTime(time)) || undefined
}

/** Returns a version in the form that a message may carry; an API server sends nothing else. */
export function knownVersion(version: unknown): string | undefined {
  return typeof version === 'string' && /^[\x21-\x7e]{1,64}$/.test(version) ? version : undefined
}

/** Annotations whose values decide what is published, and when. */
const CONTENT_ANNOTATIONS = [
  ...SELECTION_ANNOTATIONS,
  ...OVERRIDE_ANNOTATIONS,
  ANNOTATION_PAUSED,
  ANNOTATION_RELEASE,
  ANNOTATION_TOPOLOGY_MODE,
  ANNOTATION_TOPOLOGY_HINTS,
]

/** Computes a digest of what of a Service enters its slices: no status, no other annotations. */
export function serviceDigest({ metadata, spec, ...service }: Service): string {
  const { labelSelector } = service as Partial<SelectorService>
  const annotations = metadata?.annotations ?? {}
  const misspelt = misspeltAnnotation(annotations, SERVICE_ANNOTATIONS)
  const projection = service.kind === ENDPOINT_SELECTOR ? projectedUid({ metadata }) : undefined
  const content = [
    metadata?.uid,
    metadata?.deletionTimestamp,
    labelSelector,
    Object.entries(metadata?.labels ?? {}).sort(),
    CONTENT_ANNOTATIONS.map((name) => annotations[name]),
    misspelt && { annotation: misspelt.annotation, meant: misspelt.meant },
    Object.entries(spec?.selector ?? {}).sort(),
    spec?.type,
    spec?.ports,
    spec?.clusterIP,
    spec?.ipFamilies,
    spec?.publishNotReadyAddresses,
    spec?.trafficDistribution,
    ...(projection === undefined ? [] : [projection]),
  ]
  return hash('sha256', JSON.stringify(content), 'base64url')
}

/**
 * Computes a digest of the EndpointSelector that a Service is projected to; of an EndpointSelector, of itself
 * if it is a projection. Undefined where there is none.
 */
export function projectionDigest(service: Service, projects: boolean): string | undefined {
  const projection = service.kind === ENDPOINT_SELECTOR ? selectorOf(service) : projectionOf(service)
  const isOne = projection !== undefined && projectedUid(projection) !== undefined
  if (!isOne || (service.kind !== ENDPOINT_SELECTOR && !projects)) return undefined
  return hash('sha256', projectionText(projection), 'base64url').slice(0, 22)
}

function selectorOf({ metadata, spec, ...service }: Service): EndpointSelector {
  const { labelSelector } = service as Partial<SelectorService>
  return {
    ...(metadata && { metadata }),
    spec: { selector: labelSelector ?? {}, ports: spec?.ports as never, ipFamilies: spec?.ipFamilies },
  } as EndpointSelector
}

/** Returns the Service as far as a plan reads it; all of it is in the digest. */
export function plannedService({ apiVersion, kind, metadata, spec }: Service): Service {
  const { name, namespace, uid, deletionTimestamp, labels } = metadata ?? {}
  const { type, ports, clusterIP, ipFamilies, publishNotReadyAddresses, trafficDistribution } = spec ?? {}
  return {
    ...(otherOwner(kind) && { apiVersion, kind }),
    metadata: {
      ...{ name, namespace, uid },
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(labels !== undefined && { labels }),
    },
    spec: { type, ports, clusterIP, ipFamilies, publishNotReadyAddresses, trafficDistribution },
  } as Service
}

export interface NodeDigest {
  /** Zone that the endpoints on the node get. */
  readonly zone: string
  /** Part of the node that enters topology hints: whether it counts, and its share. */
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
