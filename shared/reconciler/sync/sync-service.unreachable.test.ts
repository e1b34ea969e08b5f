import { describe, expect, it } from 'vitest'
import { isSealed } from '../../changes/index.ts'
import { ConnectionError, ENDPOINT_SLICES, EVENTS, PODS, SERVICES } from '../../kubernetes/index.ts'
import { createMemoryCluster, type Settings, webPod } from '../memory-cluster.fixtures.ts'
import { createNodeReader } from '../read/node-reader.ts'
import type { ReadableCluster } from '../read/readable-cluster.ts'
import type { Purpose } from '../sync-result.ts'
import {
  addresses,
  attemptAt,
  CUSTOM,
  NOON,
  OF_GREEN,
  reasons,
  slices,
  withNode,
  writes,
} from './sync-service.fixtures.ts'

describe('a Service whose pods are in a cluster that cannot be reached', () => {
  const refused = new ConnectionError('failed to list Pods of cluster green', 'ECONNREFUSED')

  /** Makes a Service with two endpoints from a cluster that answered until now. */
  async function cutOff(settings: Settings) {
    const green = withNode()
    for (const number of [1, 2]) green.put(PODS, webPod(number))
    const cluster = createMemoryCluster()
    cluster.put(SERVICES, OF_GREEN)
    const clusterOf = (name: string): ReadableCluster => {
      const { client } = name === 'green' ? green : cluster
      return { client, nodes: createNodeReader(client) }
    }
    const sync = (purpose: Purpose = 'write', now = NOON) =>
      attemptAt(cluster, { settings, now, clusterOf }).fullSync(purpose)
    await sync()
    expect(addresses(cluster)).toHaveLength(2)
    cluster.calls.length = 0
    green.before = () => {
      throw refused
    }
    return { cluster, green, sync }
  }

  it('is synced again before it is reported, where somebody else writes its slices meanwhile', async () => {
    const { cluster, sync } = await cutOff({ ...CUSTOM, unreachableCluster: 'drop' })
    cluster.before = (call) => {
      const slice = slices(cluster).find(({ metadata }) => call === `update endpointslices ${metadata?.name}`)
      if (slice !== undefined) cluster.put(ENDPOINT_SLICES, slice)
    }
    expect(await sync()).toMatchObject({ conflict: { operation: 'update' } })
    expect(reasons(cluster)).toEqual([])
  })

  it('loses its endpoints at once by the policy drop, and gets them back', async () => {
    const { cluster, green, sync } = await cutOff({ ...CUSTOM, unreachableCluster: 'drop' })
    await expect(sync()).rejects.toBe(refused)
    expect(addresses(cluster)).toEqual([])
    expect(slices(cluster).map(isSealed)).toEqual([true])
    const message = 'the pods in cluster green cannot be read: its endpoints are removed until it can'
    expect(cluster.all(EVENTS)).toMatchObject([{ reason: 'ClusterUnreachable', message }])
    cluster.calls.length = 0
    await expect(sync()).rejects.toBe(refused)
    expect(writes(cluster).filter((call) => call.includes('endpointslices'))).toEqual([])
    green.before = () => {}
    await sync()
    expect(addresses(cluster)).toHaveLength(2)
  })

  it('is written by no sync that only compares, and the audit tells that it would be', async () => {
    const { cluster, sync } = await cutOff({ ...CUSTOM, unreachableCluster: 'drop' })
    await expect(sync('compare')).rejects.toBe(refused)
    expect((await sync('audit')).outdated?.size).toBe(1)
    expect(writes(cluster)).toEqual([])
  })
})
