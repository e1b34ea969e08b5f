import { projectedUid, type SelectorService, type Service } from '../../endpointslice/index.ts'
import { selectorFromLabels } from '../../kubernetes/index.ts'
import type { Mode } from '../../settings/index.ts'
import { otherOwner } from '../owners/find-owner.ts'
import { ANNOTATION_PAUSED } from '../sources/annotations.ts'
import type { Permissions } from '../sources/permissions.ts'
import { asksForEndpoints } from '../sources/selection-rules.ts'
import { customSelection, misspeltSelection } from './custom-selection.ts'
import { selectorSelection } from './selector-selection.ts'
import { pauseOf } from './service-controls.ts'
import type { Selection, UnpausedSelection } from './types.ts'

/** Decides what Sliceflow does with a Service: a pure function, the same for relay and functions. */
export function selectionOf(service: Service, mode: Mode, permissions: Permissions): Selection {
  if (isSelector(service))
    return projectedUid(service) === undefined
      ? pausedSelection(service, selectorSelection(service, permissions))
      : PROJECTION
  const selection = mode === 'replace' ? replaceSelection(service) : customSelection(service, permissions)
  return pausedSelection(
    service,
    selection.kind === 'unmanaged' && mayMirror(service, permissions)
      ? { ...selection, kind: 'mirrored' }
      : selection,
  )
}

/** Its Pods are in the slices of its Service. */
const PROJECTION: Selection = { kind: 'unmanaged', leftovers: 'delete', reason: 'Projection' }

const isSelector = (service: Service): service is SelectorService => otherOwner(service.kind) !== undefined

/** Decides what a pause makes of a selection. One that is malformed or misspelt keeps the slices, too. */
function pausedSelection(service: Service, of: UnpausedSelection): Selection {
  const pause = pauseOf(service)
  if (pause?.kind === 'paused') return { ...pause, of }
  if (of.kind === 'unmanaged' || of.kind === 'invalid') return of
  if (pause !== undefined) return { kind: 'invalid', annotation: ANNOTATION_PAUSED, problem: pause.problem }
  return misspeltSelection(service, [ANNOTATION_PAUSED]) ?? of
}

/**
 * Reports whether Endpoints of the Service's name are to be mirrored: as the in-tree mirroring controller
 * does, of any Service without a selector, but for those that ask for endpoints in `custom` mode.
 */
const mayMirror = ({ metadata, spec }: Service, { settings }: Permissions): boolean =>
  settings.mirrorEndpoints === true &&
  (spec?.selector ?? undefined) === undefined &&
  !asksForEndpoints(metadata?.annotations)

/** Decides as the in-tree syncService: without a selector, or with ExternalName, slices are left alone. */
function replaceSelection({ metadata, spec }: Service): UnpausedSelection {
  const labels = spec?.selector ?? {}
  if (spec?.type === 'ExternalName') return { kind: 'unmanaged', leftovers: 'keep', reason: 'ExternalName' }
  if (Object.keys(labels).length === 0) return { kind: 'unmanaged', leftovers: 'keep', reason: 'NoSelector' }
  return { kind: 'managed', selector: selectorFromLabels(labels), namespace: metadata?.namespace ?? '' }
}
