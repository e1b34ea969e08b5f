import type { Selection } from '../selection.ts'
import type { ServiceEntry } from '../service-table.ts'

/** Whether it leads to Pods that are not ready, too. */
export const takesUnready = ({ service }: ServiceEntry): boolean =>
  service.spec?.publishNotReadyAddresses === true

/** Whether a change of the Service can call for a write. */
export const isOurs = ({ selection }: ServiceEntry): boolean => selection.kind !== 'unmanaged'

/** Whether slices of the Service's must be there. */
export const hasSlices = ({ kind }: Selection): boolean => kind === 'managed' || kind === 'static'

/** Whether its endpoints are Pods of its own namespace and cluster, by their own addresses. */
export const takesOwnPods = ({ selection }: ServiceEntry): boolean =>
  selection.kind === 'managed' && selection.cluster === undefined

/** What a look at single Pods and slices can decide. */
export const isHintable = ({ selection, topologyHints }: ServiceEntry): boolean =>
  selection.kind === 'managed' && selection.network === undefined && !topologyHints

/** Whose slices are verified here when they were written. */
export const isVerifiable = (service: ServiceEntry): boolean => takesOwnPods(service) && isHintable(service)
