import { isOwnAnnotation } from '../../shared/changes/index.ts'
import { type EndpointSlice, LABEL_MANAGED_BY } from '../../shared/endpointslice/index.ts'

/** Makes everything of slices comparable but their names, managers and annotations of ours. */
export const mirrorContent = (slices: readonly EndpointSlice[]): string[] =>
  slices
    .map(({ metadata, addressType, ports, endpoints }) => {
      const { [LABEL_MANAGED_BY]: _, ...labels } = metadata?.labels ?? {}
      const sorted = (items: readonly unknown[] | null | undefined): string[] =>
        (items ?? []).map((item) => JSON.stringify(inOrder(item))).sort()
      const { annotations: all = {}, ownerReferences } = metadata ?? {}
      const annotations = Object.fromEntries(Object.entries(all).filter(([key]) => !isOwnAnnotation(key)))
      return JSON.stringify(
        inOrder({
          addressType,
          labels,
          annotations,
          owners: ownerReferences,
          ports: sorted(ports),
          endpoints: sorted(endpoints),
        }),
      )
    })
    .sort()

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, inOrder(one)]),
  )
}
