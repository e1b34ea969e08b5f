import { type EndpointSlice, LABEL_SERVICE_NAME, type Service } from '../../shared/endpointslice/index.ts'
import { expectedSlices, portText, type SelectionMode } from '../support/world/index.ts'

/** Returns what is published, whatever slices it is spread over and whatever uids its objects have. */
export function publishedText(slices: readonly EndpointSlice[]): string[] {
  const lines = slices.flatMap(({ metadata, addressType, endpoints, ports }) => {
    const service = metadata?.labels?.[LABEL_SERVICE_NAME]
    const portTexts = (ports ?? []).map(portText).toSorted().join(' ')
    return (endpoints ?? []).map(({ addresses, conditions, targetRef, nodeName, zone }) => {
      const { ready, serving, terminating } = conditions ?? {}
      const state = `ready=${ready} serving=${serving} terminating=${terminating}`
      return `${service} ${addressType} ${addresses} ${targetRef?.name} ${nodeName} ${zone} ${state} [${portTexts}]`
    })
  })
  return lines.toSorted()
}

/** Returns the endpoints of live pods that must be published, each as `SERVICE TYPE ADDRESS`. */
export function wantedEndpoints(
  services: Iterable<Service>,
  objects: Parameters<typeof expectedSlices>[1],
  options: { readonly mode: SelectionMode; readonly managedBy: string },
): Set<string> {
  const wanted = new Set<string>()
  for (const service of services) {
    const expected = expectedSlices(service, objects, options)
    for (const [type, endpoints] of expected?.endpoints ?? [])
      for (const { addresses, conditions } of endpoints)
        if (conditions.ready && !conditions.terminating)
          wanted.add(`${service.metadata?.name} ${type} ${addresses[0]}`)
  }
  return wanted
}

/** Returns the endpoints that are published, in the same form. */
export function publishedEndpoints(slices: Iterable<EndpointSlice>): Set<string> {
  const published = new Set<string>()
  for (const { metadata, addressType, endpoints } of slices)
    for (const { addresses } of endpoints ?? [])
      published.add(`${metadata?.labels?.[LABEL_SERVICE_NAME]} ${addressType} ${addresses[0]}`)
  return published
}
