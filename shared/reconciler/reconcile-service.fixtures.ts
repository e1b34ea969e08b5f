import type { EndpointSlice } from '../endpointslice/index.ts'
import { ENDPOINT_SLICES, PODS } from '../kubernetes/index.ts'
import { parseSettings } from '../settings/index.ts'
import { atRest, type MemoryCluster, type startProcess, webPod } from './memory-cluster.fixtures.ts'

export const SETTINGS = parseSettings({ mode: 'replace', maxEndpointsPerSlice: 2 })
export const NOON = Date.UTC(2026, 0, 1, 12)
export const AT_NOON = { settings: SETTINGS, now: NOON }

export const slices = (cluster: MemoryCluster): EndpointSlice[] => cluster.all(ENDPOINT_SLICES)
export const callsWith = (cluster: MemoryCluster, word: string): string[] =>
  cluster.calls.filter((call) => call.startsWith(word))

/**
 * Returns a cluster whose Service has this many pods, all of which have failed since it was last reconciled.
 */
export async function failed(pods: number): Promise<MemoryCluster> {
  const cluster = await atRest(pods, SETTINGS)
  for (let number = 1; number <= pods; number++) cluster.put(PODS, webPod(number, false))
  return cluster
}

/** Has somebody else write each slice just before we do, this many times. */
export function contend(cluster: MemoryCluster, times = Number.POSITIVE_INFINITY): void {
  let left = times
  cluster.before = (call) => {
    const slice = slices(cluster).find(({ metadata }) => call === `update endpointslices ${metadata?.name}`)
    if (slice !== undefined && left-- > 0) cluster.put(ENDPOINT_SLICES, slice)
  }
}

/** Reports whether a message leads to a sync. */
export async function isSynced(
  cluster: MemoryCluster,
  { handle }: ReturnType<typeof startProcess>,
  ...message: Parameters<ReturnType<typeof startProcess>['handle']>
): Promise<boolean> {
  cluster.calls.length = 0
  await handle(...message)
  return cluster.calls.length > 0
}
