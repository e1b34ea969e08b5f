import type { Drafts } from '../slices/drafts.ts'
import type { Endpoint } from '../types.ts'
import { hintTo, isHintedTo, isReady, writeKept, writtenEndpoints } from './hints.ts'

/**
 * Hints every ready endpoint to its own zone, and with `toNodes` to its own node as well
 * (`spec.trafficDistribution`, KEP-4444 and KEP-3015). Endpoints that are not ready are left as they are.
 */
export function hintByDistribution(drafts: Drafts, toNodes: boolean): void {
  const nodeOf = ({ nodeName }: Endpoint): string | undefined =>
    toNodes ? (nodeName ?? undefined) : undefined
  const isWrong = (endpoint: Endpoint): boolean =>
    isReady(endpoint) && !isHintedTo(endpoint, endpoint.zone ?? undefined, nodeOf(endpoint))
  writeKept(drafts, ({ endpoints }) => (endpoints ?? []).some(isWrong))
  for (const endpoint of writtenEndpoints(drafts)) {
    if (isReady(endpoint)) hintTo(endpoint, endpoint.zone ?? undefined, nodeOf(endpoint))
  }
}
