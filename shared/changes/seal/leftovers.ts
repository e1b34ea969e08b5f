import {
  type EndpointSlice,
  IN_TREE_CONTROLLER,
  isMirror,
  LABEL_MANAGED_BY,
  MIRRORING_CONTROLLER,
  ownerOfSlice,
  type Service,
} from '../../endpointslice/index.ts'
import type { Mode, Settings } from '../../settings/index.ts'
import type { Leftovers, Selection } from '../selection/types.ts'
import { asksForEndpoints } from '../sources/selection-rules.ts'
import { hasSeal, isSealed } from './seal.ts'

/** Decides about our slices of a Service that is not ours: by the setting, or for `auto` by the mode. */
export const leftoversOf = ({ leftovers }: Leftovers, policy: Settings['leftovers']): 'keep' | 'delete' =>
  policy === 'auto' ? leftovers : policy

/**
 * Reports whether we made the slice, which its managed-by value alone does not say: of leftovers only such
 * slices are deleted. The in-tree controller's value is shared with that controller, which keeps our seal
 * when it writes over our slice; there the slice must also be as we wrote it.
 */
export const isOurs = (slice: EndpointSlice): boolean =>
  hasSeal(slice) && (slice.metadata?.labels?.[LABEL_MANAGED_BY] !== IN_TREE_CONTROLLER || isSealed(slice))

/** Managed-by value of imported slices. Those of the setting `managedBy` are for Services of one cluster. */
export const FLEET_MANAGED_BY = 'fleet.sliceflow.dev'

/**
 * Reports whether we made the slice under another managed-by value than this one: no process with this value
 * writes it. Slices with a value of an in-tree controller do not count, as that controller goes on with them,
 * nor do imported ones, which are of a cluster set.
 */
export function isLeftBehind(slice: EndpointSlice, managedBy: string): boolean {
  const value = slice.metadata?.labels?.[LABEL_MANAGED_BY] ?? ''
  return (
    hasSeal(slice) && ![managedBy, IN_TREE_CONTROLLER, MIRRORING_CONTROLLER, FLEET_MANAGED_BY].includes(value)
  )
}

/** Reports whether a Service of this kind has no such slice of ours. If leftovers are kept, it stays. */
export const isLeftover = (slice: { readonly isMirror: boolean }, { kind }: Selection): boolean =>
  kind === 'unmanaged' || (kind === 'mirrored' && !slice.isMirror)

/** Says which command deletes the slices that we made under another managed-by value, as a clause. */
export const leftBehindAdvice = (managedBy: string): string =>
  `sliceflow offboard --managed-by ${managedBy} lists them, and deletes them with --yes`

/**
 * Says what deletes slices of Services that this mode does not manage, as a clause. By name, as other
 * controllers may have slices of the same Service.
 */
export const DELETE_LEFTOVERS_ADVICE =
  '--leftovers delete has them deleted, or kubectl delete endpointslice NAME'

/** Says how to see such slices, and what deletes them. */
export const STAYS_BEHIND_ADVICE = `sliceflow explain shows them; ${DELETE_LEFTOVERS_ADVICE}`

/** Reports whether the slice goes with its Service: we made it, or a garbage collector deletes it, too. */
export const goesWithService = (slice: EndpointSlice): boolean => isOurs(slice) || isDependent(slice)

/** Reports whether an ownerReference names the Service that the slice is labelled with, or its Endpoints. */
export const isDependent = (slice: EndpointSlice): boolean =>
  isMirror(slice) || ownerOfSlice(slice)?.isNamedBy(slice) === true

/**
 * Reports whether the other mode would keep slices for a Service that this one does not: then it may be the
 * deployment's mode that has changed, and nothing was said about the Service.
 */
export function isOfOtherMode({ metadata, spec }: Service, mode: Mode): boolean {
  if (spec?.type === 'ExternalName') return false
  const hasSelector = Object.keys(spec?.selector ?? {}).length > 0
  if (mode === 'custom') return hasSelector
  return !hasSelector && asksForEndpoints(metadata?.annotations)
}
