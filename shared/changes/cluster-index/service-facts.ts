import type { Selection } from '../selection/types.ts'
import type { ServiceEntry } from '../tables/service-table.ts'

/** Reports whether the Service publishes Pods that are not ready, too. */
export const takesUnready = ({ service }: ServiceEntry): boolean =>
  service.spec?.publishNotReadyAddresses === true

/**
 * Reports whether a change of the Service can call for a write, beside slices that it left behind.
 * @param hasEndpoints whether there are Endpoints of its name, as far as they are watched
 */
export const isOurs = ({ selection }: ServiceEntry, hasEndpoints: boolean): boolean =>
  selection.kind === 'mirrored' ? hasEndpoints : selection.kind !== 'unmanaged'

/** Reports whether the Service must have slices. @param hasEndpoints as of {@link isOurs} */
export const hasSlices = ({ kind }: Selection, hasEndpoints: boolean): boolean =>
  kind === 'managed' || kind === 'sourced' || (kind === 'mirrored' && hasEndpoints)

/** How a Service selects its endpoints. */
type SelectionFacts = Pick<ServiceEntry, 'selection' | 'topologyHints'>

/** Reports whether its endpoints are Pods of its own namespace and cluster, by their own addresses. */
export const takesOwnPods = ({ selection }: Pick<SelectionFacts, 'selection'>): boolean =>
  selection.kind === 'managed' && selection.clusters === undefined

/** Reports whether a hinted sync can decide. */
export const isHintable = ({ selection, topologyHints }: SelectionFacts): boolean =>
  selection.kind === 'managed' && selection.network === undefined && !topologyHints

/** Reports whether a relay verifies its slices after they were written. */
export const isVerifiable = (service: SelectionFacts): boolean => takesOwnPods(service) && isHintable(service)
