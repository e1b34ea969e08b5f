import { ADDRESSES } from './addresses.ts'
import type { AnnotationRules } from './annotation-check.ts'
import { NETWORKS } from './networks.ts'
import { PODS_SOURCE } from './pods.ts'
import { REMOTE_PODS } from './remote-pods.ts'
import { isPodSource, isReadSource, type PodSource, type ReadSource, type Source } from './source.ts'

/** Endpoints that somebody wrote, as the in-tree mirroring controller reads them. */
const MIRRORED_ENDPOINTS = {
  name: 'endpoints',
  summary: 'hand-written Endpoints of the name of a Service without a selector, mirrored into slices',
  annotations: {},
  enabledBy: 'mirrorEndpoints',
  kinds: ['endpoints'],
  explained: { kind: 'Endpoints', endpoints: 'those of the Endpoints of its name' },
} as const satisfies Source

/** Services that clusters of a set export; shared/fleet follows their slices and writes the imports. */
const EXPORTS = {
  name: 'exports',
  summary: 'the endpoints of a Service that clusters of a set export (ServiceExport), for its ServiceImport',
  annotations: {},
  enabledBy: 'clusterSets',
} as const satisfies Source

/** Every source of endpoints, in the order of all that is made of it. */
export const SOURCES: readonly Source[] = [
  PODS_SOURCE,
  REMOTE_PODS,
  NETWORKS,
  ADDRESSES,
  MIRRORED_ENDPOINTS,
  EXPORTS,
]

/** A source that a Service asks for by an annotation. */
export type AskedSource = PodSource | ReadSource

export const ASKED_SOURCES: readonly AskedSource[] = SOURCES.filter(
  (source): source is AskedSource => isPodSource(source) || isReadSource(source),
)

/** What the annotations must be that say what a Service's endpoints are. */
export const SELECTION_RULES: AnnotationRules = Object.assign(
  {},
  ...SOURCES.map((source) => source.annotations),
)

/** Every annotation that says what a Service's endpoints are. */
export const SELECTION_ANNOTATIONS: readonly string[] = Object.keys(SELECTION_RULES)

/** Reports whether one of the annotations is there that ask for endpoints in `custom` mode. */
export const asksForEndpoints = (annotations: Readonly<Record<string, unknown>> | undefined): boolean =>
  annotations !== undefined && ASKED_SOURCES.some(({ asks }) => asks in annotations)

/** Says that a Service asks for two sources. */
export const excludes = (asked: AskedSource): string => `it excludes ${asked.asks}: remove one of them`
