import type { EndpointSource, Service } from '../../endpointslice/index.ts'
import type { ApiClient, LabelRequirement } from '../../kubernetes/index.ts'
import type { ContentSettings } from '../../settings/index.ts'
import type { OwnerName } from '../key-queue/key.ts'
import { type AnnotationRules, checkProblem } from './annotation-check.ts'
import type { Permissions } from './permissions.ts'

/**
 * Something that a Service may take its endpoints from. An entry of {@link SOURCES} is all that others know
 * of it: the annotations and their checks in the relay, the functions and the admission policies, the setting
 * that grants it, the kinds that the relay watches, the words of `sliceflow explain` and its row of the
 * reference.
 *
 * 1. An event means keys: an object of one of its `kinds`, or what it watches outside of clusters.
 * 2. Of a key, `select` reads the Service's annotations; for what is made of Pods, `selectPods` and `refine`.
 * 3. `read` returns the endpoints.
 *
 * Packing, guards, ownership and writes are the same for all sources, and none of its business.
 */
export interface Source {
  readonly name: string
  /** Its row of the reference. */
  readonly summary: string
  /** Its own annotations on a Service, and what their values must be. */
  readonly annotations: AnnotationRules
  /** Setting that grants it to namespaces; the default grants nothing. */
  readonly grantedBy?: keyof ContentSettings
  /** Setting that turns it on. Default: it is on. */
  readonly enabledBy?: keyof ContentSettings
  /** Kinds of objects in the Service's cluster that it depends on; KINDS has what an event of each means. */
  readonly kinds?: readonly string[]
  /** Kinds that it depends on in other clusters, too. */
  readonly kindsElsewhere?: readonly string[]
  /** The annotation by which a Service asks for it; a Service may ask for one source. */
  readonly asks?: string
  /** Reads what a Service asks for, to be read by `read`. @throws AnnotationError */
  select?(service: Service, permissions: Permissions): readonly string[]
  /** Reads which pods a Service asks for, instead. @throws AnnotationError */
  selectPods?(service: Service, permissions: Permissions): PodSelection
  /** Name of a source whose selection its annotations change. */
  readonly refines?: string
  /** Returns what its annotations change of a selection of pods. @throws AnnotationError */
  refine?(service: Service, permissions: Permissions): Partial<PodSelection>
  /**
   * Reads the endpoints of a Service that asks for it. Pods and mirrored Endpoints have none of it: the
   * reconciler reads these by hints, caches and parts.
   * @param asked as of `select`
   * @throws an error if a read failed: the key is retried, and no endpoint is lost
   */
  read?(asked: readonly string[], context: SourceContext): Promise<EndpointSource> | EndpointSource
  /**
   * Watches what is not in a cluster, for the Services of one cluster, from when they were listed until
   * `signal` aborts. The first state is a change, as what it was before a restart is unknown.
   */
  watch?(services: AskingServices, signal: AbortSignal): void
  /** Words of `sliceflow explain`. */
  readonly explained?: SourceWords
}

/** Pods that are selected, and the addresses that they are published with. */
export interface PodSelection {
  readonly selector: readonly LabelRequirement[]
  readonly namespace: string
  /** Names of the Pods' clusters, each once, in order of precedence; absent: the Service's own. */
  readonly clusters?: readonly string[]
  /** `namespace/name` or `name` of the network whose addresses are published; absent: the cluster's own. */
  readonly network?: string
  /** CIDR ranges in which addresses of the network are published, and no others. */
  readonly networkRanges?: readonly string[]
}

interface SourceContext {
  readonly service: Service
  /** Client of the Service's cluster. */
  readonly client: ApiClient
  readonly signal: AbortSignal
}

/** A Service that asks for a source. */
export interface AskingService extends OwnerName {
  /** As of `select`. */
  readonly asked: readonly string[]
}

/** Services of one cluster that ask for a source. */
export interface AskingServices {
  /** Lists those of now. */
  list(): Iterable<AskingService>
  /** Sends the keys of Services whose endpoints may have changed. */
  changed(services: readonly AskingService[]): void
}

interface SourceWords {
  /** Its name in the JSON document. */
  readonly kind: string
  /** What the endpoints are. */
  readonly endpoints: string
}

/** A source of pods that a Service asks for by an annotation. */
export type PodSource = Source & Required<Pick<Source, 'asks' | 'selectPods'>>
/** A source of anything else that a Service asks for. */
export type ReadSource = Source & Required<Pick<Source, 'asks' | 'select' | 'read'>>

export const isPodSource = (source: Source): source is PodSource =>
  source.asks !== undefined && source.selectPods !== undefined
export const isReadSource = (source: Source): source is ReadSource =>
  source.asks !== undefined && source.select !== undefined && source.read !== undefined

/** An annotation that cannot be used. */
export class AnnotationError extends Error {
  readonly annotation: string
  constructor(annotation: string, problem: string) {
    super(problem)
    this.annotation = annotation
  }
}

/** An annotation that could be used, and names what the Service's namespace may not name. */
export class RefusedError extends AnnotationError {}

/** Checks the annotations that a source has of its own. @throws AnnotationError */
export function checkAnnotations({ annotations: rules }: Source, { metadata }: Service): void {
  for (const [annotation, checks] of Object.entries(rules)) {
    const text = metadata?.annotations?.[annotation]
    const problem = text === undefined ? undefined : checkProblem(checks, text)
    if (problem !== undefined) throw new AnnotationError(annotation, problem)
  }
}

/** Checks their lengths, before anything reads them. @throws AnnotationError */
export function checkLengths({ annotations: rules }: Source, { metadata }: Service): void {
  for (const [annotation, checks] of Object.entries(rules)) {
    const lengths = checks.filter(({ kind }) => kind === 'length')
    const problem = checkProblem(lengths, metadata?.annotations?.[annotation] ?? '')
    if (problem !== undefined) throw new AnnotationError(annotation, problem)
  }
}
