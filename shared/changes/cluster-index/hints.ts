import type { Settings } from '../../settings/index.ts'
import { type Change, type Hint, type KeyHints, ownerText } from '../key-queue/index.ts'
import { hintFor } from '../slice-hint.ts'
import type { PodTable, ServiceEntry } from '../tables/index.ts'
import { isHintable, isVerifiable, takesOwnPods } from './service-facts.ts'
import { sum } from './sum.ts'
import { isEndpointOf, type Tables } from './tables.ts'

/** Settings that hints depend on. */
export type HintSettings = Pick<Settings, 'maxEndpointsPerSlice' | 'maximumEndpoints'>

/**
 * Returns the hint of a change, by the index as it is now; none where a full sync is needed. The names of
 * Pods and slices are those of the change's own cluster and namespace.
 */
export function hintsOf(tables: Tables, { pods: names, ...key }: Change, settings: HintSettings): KeyHints {
  const { cluster, services, nodes, slices } = tables
  const text = ownerText(key)
  const service = key.cluster === cluster ? services.get(text) : undefined
  if (service === undefined || !takesOwnPods(service)) return {}
  const { changedAt: nodesVersion } = nodes
  const hint =
    names !== undefined && isHintable(service)
      ? hintFor({
          pods: names,
          slices: slices.of(text),
          slicesVersion: slices.version,
          isEndpoint: (name) => isEndpointOf(tables, `${key.namespace}/${name}`, service),
          maxEndpointsPerSlice: settings.maxEndpointsPerSlice,
        })
      : undefined
  return {
    ...(hint && { hint: { ...hint, ...selectedPods(tables.pods, service, settings) } }),
    ...(nodesVersion !== undefined && { nodesVersion }),
    ...(hint && service.resourceVersion !== undefined && { serviceVersion: service.resourceVersion }),
    ...(isVerifiable(service) && { relayVerifies: true }),
  }
}

/** Counts the selected Pods. Without a limit the count is not needed, and counting is not free. */
function selectedPods(
  pods: PodTable,
  { selection }: ServiceEntry,
  { maximumEndpoints }: HintSettings,
): Pick<Hint, 'selected'> {
  if (maximumEndpoints === 0 || selection.kind !== 'managed') return {}
  return { selected: sum(pods.selected(selection), () => 1) }
}
