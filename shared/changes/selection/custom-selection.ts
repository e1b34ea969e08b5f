import type { Service } from '../../endpointslice/index.ts'
import type { Permissions } from '../sources/permissions.ts'
import { ASKED_SOURCES, type AskedSource, excludes } from '../sources/selection-rules.ts'
import {
  AnnotationError,
  checkAnnotations,
  checkLengths,
  isReadSource,
  type PodSelection,
  RefusedError,
  type Source,
} from '../sources/source.ts'
import { SOURCES } from '../sources/sources.ts'
import { misspeltAnnotation } from './misspelt-annotation.ts'
import type { InvalidSelection, UnmanagedReason, UnpausedSelection } from './types.ts'

/** Maximum characters, as it may quote the annotation: it is stored for each Service, and in an Event. */
const MAX_PROBLEM_LENGTH = 300

export function customSelection(service: Service, permissions: Permissions): UnpausedSelection {
  const { spec } = service
  if (spec?.type === 'ExternalName') return unmanaged('ExternalName')
  if (Object.keys(spec?.selector ?? {}).length > 0) return unmanaged('HasSelector')
  return misspeltSelection(service) ?? annotatedSelection(service, permissions)
}

/** Returns the selection of an object with a misspelt annotation. @param known as of misspeltAnnotation() */
export function misspeltSelection(
  { metadata }: Pick<Service, 'metadata'>,
  known?: readonly string[],
): InvalidSelection | undefined {
  const misspelt = misspeltAnnotation(metadata?.annotations, known)
  return misspelt && { kind: 'invalid', annotation: misspelt.annotation, problem: misspelt.problem }
}

/** Returns the selection of what annotations ask for. */
export function annotatedSelection(service: Service, permissions: Permissions): UnpausedSelection {
  const annotations = service.metadata?.annotations ?? {}
  const [source, other] = ASKED_SOURCES.filter(({ asks }) => annotations[asks] !== undefined)
  if (source === undefined) return unmanaged('NotAnnotated')
  return usable(service, () => {
    if (other !== undefined) throw new AnnotationError(other.asks, excludes(source))
    return askedSelection(source, service, permissions)
  })
}

/** Returns what the annotations make of a selection, or which of them cannot be used. */
export function usable(service: Service, select: () => UnpausedSelection): UnpausedSelection {
  try {
    for (const each of SOURCES) checkLengths(each, service)
    return select()
  } catch (error) {
    if (!(error instanceof AnnotationError)) throw error
    const { annotation, message } = error
    const problem =
      message.length > MAX_PROBLEM_LENGTH ? `${message.slice(0, MAX_PROBLEM_LENGTH - 1)}…` : message
    return { kind: 'invalid', annotation, problem, ...(error instanceof RefusedError && { isRefused: true }) }
  }
}

/** @throws AnnotationError */
function askedSelection(source: AskedSource, service: Service, permissions: Permissions): UnpausedSelection {
  checkAnnotations(source, service)
  const refined = refinedPods(source, service, permissions)
  if (isReadSource(source)) return { kind: 'sourced', source, asked: source.select(service, permissions) }
  const pods: PodSelection = Object.assign(source.selectPods(service, permissions), ...refined)
  return { kind: 'managed', ...pods }
}

/** Lists what further annotations change of a selection of this source's. @throws AnnotationError */
export function refinedPods(
  { name }: Pick<Source, 'name'>,
  service: Service,
  permissions: Permissions,
): Partial<PodSelection>[] {
  const refinements = SOURCES.filter(({ refines }) => refines === name)
  for (const each of refinements) checkAnnotations(each, service)
  return refinements.map(({ refine }) => refine?.(service, permissions) ?? {})
}

const unmanaged = (reason: UnmanagedReason): UnpausedSelection => ({
  kind: 'unmanaged',
  leftovers: 'delete',
  reason,
})
