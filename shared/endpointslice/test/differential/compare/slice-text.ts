import { ANNOTATION_TRIGGER_TIME, type Endpoint, type EndpointSlice } from '../../../index.ts'
import { canonicalText } from './canonical.ts'

/**
 * Whether the hints of ready endpoints are shared out by chance (topology mode), and so no part of the texts.
 */
export interface TextOptions {
  readonly sharedHints: boolean
}

/** Returns the ports of a slice in a fixed order. Slices with the same ports hold endpoints of one group. */
export const portsText = ({ ports }: EndpointSlice): string =>
  (ports ?? []).map(canonicalText).sort().join(' ')

export const isReady = ({ conditions }: Endpoint): boolean => conditions?.ready === true

export function endpointText(endpoint: Endpoint, { sharedHints }: TextOptions): string {
  const { hints, addresses, ...rest } = endpoint
  const said = sharedHints && isReady(endpoint) ? {} : { hints }
  return canonicalText({ ...rest, ...said, addresses: addresses.toSorted() })
}

/** Returns the metadata that a controller decides on, without the name. */
export function metadataText({ metadata = {} }: EndpointSlice): string {
  const { namespace, labels, annotations, ownerReferences, finalizers } = metadata
  return canonicalText({
    namespace,
    labels: labels ?? {},
    annotations: annotations ?? {},
    ownerReferences: ownerReferences ?? [],
    finalizers: finalizers ?? [],
  })
}

/**
 * Reports whether a write changes nothing but the time of the last change (and hints that are shared out).
 */
export function isIdle(before: EndpointSlice, after: EndpointSlice, options: TextOptions): boolean {
  return withoutTriggerTime(before, options) === withoutTriggerTime(after, options)
}

function withoutTriggerTime(slice: EndpointSlice, options: TextOptions): string {
  const { [ANNOTATION_TRIGGER_TIME]: _, ...annotations } = slice.metadata?.annotations ?? {}
  const metadata = metadataText({ ...slice, metadata: { ...slice.metadata, annotations } })
  const endpoints = (slice.endpoints ?? []).map((endpoint) => endpointText(endpoint, options)).sort()
  return [metadata, portsText(slice), ...endpoints].join('\n')
}
