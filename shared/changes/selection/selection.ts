import type { Service } from '../../endpointslice/index.ts'
import { type LabelRequirement, selectorFromLabels } from '../../kubernetes/index.ts'
import type { Mode } from '../../settings/index.ts'
import { ANNOTATION_PAUSED, asksForEndpoints } from './annotations.ts'
import { customSelection } from './custom-selection.ts'
import { misspeltAnnotation } from './misspelt-annotation.ts'
import type { Permissions } from './permissions.ts'
import { pauseOf } from './service-controls.ts'

/** Pods that are selected, and the way in which they are seen. */
export interface PodSelection {
  readonly selector: readonly LabelRequirement[]
  readonly namespace: string
  /**
   * Names of the clusters that the pods are in, each once, in the order of precedence; absent: the Service's
   * own.
   */
  readonly clusters?: readonly string[]
  /** `namespace/name` or `name` of the network whose addresses are published; absent: the cluster's own. */
  readonly network?: string
  /** Annotation of another project that the selector stands in; absent: our own, or `spec.selector`. */
  readonly alias?: string
  /** CIDR ranges in which addresses of the network are published, and no others. */
  readonly networkRanges?: readonly string[]
}

/**
 * Reason why a Service is not ours: its type, or in `custom` mode a selector or no annotation, in `replace`
 * mode no selector.
 */
export type UnmanagedReason = 'ExternalName' | 'HasSelector' | 'NotAnnotated' | 'NoSelector'

/** Relation of Sliceflow to a Service. */
export type Selection =
  /** Its slices hold the pods that match. */
  | ({ readonly kind: 'managed' } & PodSelection)
  /** Its slices hold these addresses. */
  | { readonly kind: 'static'; readonly addresses: readonly string[] }
  /**
   * Its slices mirror the Endpoints of its name, if there are any. What becomes of slices that we made
   * otherwise is as for `unmanaged`, which it would be without the setting `mirrorEndpoints`.
   */
  | ({ readonly kind: 'mirrored' } & Leftovers)
  /** Not ours; slices that we made before are left as they are, or removed. */
  | ({ readonly kind: 'unmanaged' } & Leftovers)
  /** Somebody has paused it: nothing is written, and what is published stays. */
  | PausedSelection
  /** Ours, but an annotation cannot be used; its slices stay as they are until it is mended. */
  | InvalidSelection

/** Fate of slices of a Service that nothing selects endpoints for, and why nothing does. */
export interface Leftovers {
  readonly leftovers: 'keep' | 'delete'
  readonly reason: UnmanagedReason
}

export interface PausedSelection {
  readonly kind: 'paused'
  /** RFC 3339; absent where it is not known. */
  readonly since?: string
  /** What would be without the pause. */
  readonly of: UnpausedSelection
}

export type UnpausedSelection = Exclude<Selection, PausedSelection>

export interface InvalidSelection {
  readonly kind: 'invalid'
  readonly annotation: string
  /** A clause of at most 300 characters. */
  readonly problem: string
  /** It is understood, and names what the Service may not name. */
  readonly isRefused?: true
}

/**
 * Decides what Sliceflow has to do with a Service. It is pure, and the same for the relay, which watches, and
 * for the function, which reads.
 */
export function selectionOf(service: Service, mode: Mode, permissions: Permissions): Selection {
  const selection = mode === 'replace' ? replaceSelection(service) : customSelection(service, permissions)
  return pausedSelection(
    service,
    selection.kind === 'unmanaged' && mayMirror(service, permissions)
      ? { ...selection, kind: 'mirrored' }
      : selection,
  )
}

/** Decides what a pause makes of a selection. One that is malformed or misspelt keeps the slices, too. */
function pausedSelection(service: Service, of: UnpausedSelection): Selection {
  const pause = pauseOf(service)
  if (pause?.kind === 'paused')
    return { kind: 'paused', ...(pause.since !== undefined && { since: pause.since }), of }
  if (of.kind === 'unmanaged' || of.kind === 'invalid') return of
  if (pause !== undefined) return { kind: 'invalid', annotation: ANNOTATION_PAUSED, problem: pause.problem }
  const misspelt = misspeltAnnotation(service.metadata?.annotations, [ANNOTATION_PAUSED])
  return misspelt ? { kind: 'invalid', annotation: misspelt.annotation, problem: misspelt.problem } : of
}

/**
 * Reports whether Endpoints of the Service's name are to be mirrored: as the in-tree mirroring controller
 * does, of any Service without a selector, but for those that ask for endpoints in `custom` mode.
 */
const mayMirror = ({ metadata, spec }: Service, { mirrorEndpoints = false }: Permissions): boolean =>
  mirrorEndpoints && (spec?.selector ?? undefined) === undefined && !asksForEndpoints(metadata?.annotations)

/** Says what is wrong with a Service, as a clause. */
export const invalidReason = ({ annotation, problem, isRefused }: InvalidSelection): string =>
  `the annotation ${annotation} ${isRefused ? 'is refused' : 'cannot be used'}: ${problem}`

/**
 * Decides as syncService of the in-tree controller does: without a selector, or with ExternalName, the slices
 * are left alone.
 */
function replaceSelection({ metadata, spec }: Service): UnpausedSelection {
  const labels = spec?.selector ?? {}
  if (spec?.type === 'ExternalName') return { kind: 'unmanaged', leftovers: 'keep', reason: 'ExternalName' }
  if (Object.keys(labels).length === 0) return { kind: 'unmanaged', leftovers: 'keep', reason: 'NoSelector' }
  return { kind: 'managed', selector: selectorFromLabels(labels), namespace: metadata?.namespace ?? '' }
}
