import { makeNode } from '../../../test/support/world/index.ts'
import type { EndpointSlice, Service } from '../../endpointslice/index.ts'
import { ENDPOINT_SLICES, EVENTS, NODES } from '../../kubernetes/index.ts'
import { parseSettings } from '../../settings/index.ts'
import { SILENT_LOG } from '../../telemetry/index.ts'
import { createGuards } from '../guards/guards.ts'
import {
  createMemoryCluster,
  KEY,
  type MemoryCluster,
  type Settings,
  webService,
} from '../memory-cluster.fixtures.ts'
import { createNodeReader } from '../read/node-reader.ts'
import type { ReadableCluster } from '../read/readable-cluster.ts'
import { StateCache } from '../write/state-cache.ts'
import { type ServiceSync, ServiceSyncs } from './sync-service.ts'

export const REPLACE = parseSettings({ mode: 'replace' })
export const CUSTOM = parseSettings({
  mode: 'custom',
  allowedPods: '*/*=*/*',
  allowedAddresses: '*/*=10.0.0.0/8',
})
export const NOON = Date.UTC(2026, 0, 1, 12)

export interface Setting {
  readonly settings: Settings
  readonly now?: number
  readonly clusterOf?: (name: string) => ReadableCluster
}

export function attemptAt(
  { client }: MemoryCluster,
  { settings, now = NOON, clusterOf }: Setting,
): ServiceSync {
  const home = { client, nodes: createNodeReader(client) }
  const syncs = new ServiceSyncs({
    clusterOf: clusterOf ?? (() => home),
    settings,
    guards: createGuards(settings, () => now),
    cache: new StateCache(() => now),
  })
  const { signal } = new AbortController()
  return syncs.of(KEY, { logger: SILENT_LOG, signal, beforeMore: async () => {} })
}

export const slices = (cluster: MemoryCluster): EndpointSlice[] => cluster.all(ENDPOINT_SLICES)
export const addresses = (cluster: MemoryCluster): string[] =>
  slices(cluster).flatMap(({ endpoints }) => endpoints?.flatMap((endpoint) => endpoint.addresses) ?? [])
export const reasons = (cluster: MemoryCluster): (string | undefined)[] =>
  cluster.all(EVENTS).map(({ reason }) => reason)
export const writes = ({ calls }: MemoryCluster): string[] =>
  calls.filter((call) => !/^(get|list) /.test(call))
export const notesOn = (cluster: MemoryCluster): string[] =>
  slices(cluster).flatMap(({ metadata }) => Object.keys(metadata?.annotations ?? {}))

/** Returns a Service without a selector, with these annotations. */
export const annotated = (annotations: Readonly<Record<string, string>>): Service =>
  webService({ selector: undefined, ports: [{ name: 'http', port: 80 }] }, annotations)
export const OF_GREEN = webService(
  { selector: undefined },
  { 'sliceflow.dev/selector': 'app=web', 'sliceflow.dev/cluster': 'green' },
)

export function withNode(): MemoryCluster {
  const cluster = createMemoryCluster()
  cluster.put(NODES, makeNode())
  return cluster
}
