import { describe, expect, it } from 'vitest'
import { isSealed } from '../../changes/index.ts'
import { ApiError, ConnectionError, ENDPOINT_SLICES, EVENTS, PODS, SERVICES } from '../../kubernetes/index.ts'
import { createMemoryCluster, type Settings, webPod } from '../memory-cluster.fixtures.ts'
import type { ReadableCluster } from '../read/index.ts'
import { createNodeReader } from '../read/index.ts'
import type { Purpose } from '../sync-result.ts'
import {
  addresses,
  attemptAt,
  CUSTOM,
  NOON,
  notesOn,
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

  it.each([
    ['keep', 'its endpoints stay as they are'],
    ['drop', 'its endpoints are removed until it can'],
    ['expire', 'its endpoints stay for now, they are removed after 600 s without a read of its pods'],
  ] as const)(
    'gets an Event that says where its pods are, and what becomes of them: %s',
    async (policy, told) => {
      const { cluster, sync } = await cutOff({
        ...CUSTOM,
        unreachableCluster: policy,
        unreachableClusterExpiry: 600,
      })
      await expect(sync()).rejects.toBe(refused)
      const message = `the pods in cluster green cannot be read: ${told}`
      expect(cluster.all(EVENTS)).toMatchObject([{ reason: 'ClusterUnreachable', message }])
    },
  )

  it('keeps its endpoints, and fails', async () => {
    const { cluster, sync } = await cutOff(CUSTOM)
    await expect(sync()).rejects.toBe(refused)
    expect(writes(cluster)).toEqual([expect.stringContaining('create events')])
    expect(reasons(cluster)).toEqual(['ClusterUnreachable'])
  })

  it('is looked at again before anybody is told, where somebody else writes its slices meanwhile', async () => {
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
    cluster.calls.length = 0
    await expect(sync()).rejects.toBe(refused)
    expect(writes(cluster).filter((call) => call.includes('endpointslices'))).toEqual([])
    green.before = () => {}
    await sync()
    expect(addresses(cluster)).toHaveLength(2)
  })

  it('loses them by the policy expire once they could not be verified for so long, counted from the first time', async () => {
    const { cluster, sync } = await cutOff({
      ...CUSTOM,
      unreachableCluster: 'expire',
      unreachableClusterExpiry: 600,
    })
    for (const seconds of [0, 300, 599]) {
      await expect(sync('write', NOON + seconds * 1000)).rejects.toBe(refused)
      expect(addresses(cluster)).toHaveLength(2)
      expect(notesOn(cluster)).toContain('sliceflow.dev/unverified-since')
    }
    expect(writes(cluster).filter((call) => call.startsWith('update'))).toHaveLength(1)
    await expect(sync('write', NOON + 600_000)).rejects.toBe(refused)
    expect(addresses(cluster)).toEqual([])
  })

  it('has a time of its own for each outage', async () => {
    const settings: Settings = { ...CUSTOM, unreachableCluster: 'expire', unreachableClusterExpiry: 600 }
    const { cluster, green, sync } = await cutOff(settings)
    const { before } = green
    await expect(sync()).rejects.toBe(refused)
    green.before = () => {}
    await sync('write', NOON + 500_000)
    expect(notesOn(cluster)).not.toContain('sliceflow.dev/unverified-since')
    green.before = before
    await expect(sync('write', NOON + 700_000)).rejects.toBe(refused)
    expect(addresses(cluster)).toHaveLength(2)
  })

  it('is written by no look that only compares, and the audit tells that it would be', async () => {
    const { cluster, sync } = await cutOff({ ...CUSTOM, unreachableCluster: 'drop' })
    await expect(sync('compare')).rejects.toBe(refused)
    expect((await sync('audit')).outdated?.size).toBe(1)
    expect(writes(cluster)).toEqual([])
  })

  it('keeps its endpoints whatever the policy where that cluster has a certificate that is not accepted', async () => {
    const { cluster, green, sync } = await cutOff({ ...CUSTOM, unreachableCluster: 'drop' })
    const broken = new ConnectionError('failed to list Pods of cluster green', 'CERT_HAS_EXPIRED')
    green.before = () => {
      throw broken
    }
    await expect(sync()).rejects.toBe(broken)
    expect(addresses(cluster)).toHaveLength(2)
    await expect(sync('write', NOON + 3_600_000)).rejects.toBe(broken)
    expect(addresses(cluster)).toHaveLength(2)
  })

  it.each([401, 403, 503])(
    'loses its endpoints by the policy drop where that cluster refuses for a minute: %i',
    async (code) => {
      const { cluster, green, sync } = await cutOff({ ...CUSTOM, unreachableCluster: 'drop' })
      const refusal = new ApiError('failed to list Pods of cluster green', code, {})
      green.before = () => {
        throw refusal
      }
      for (const [seconds, count] of [
        [0, 2],
        [59, 2],
        [60, 0],
      ] as const) {
        await expect(sync('write', NOON + seconds * 1000)).rejects.toBe(refusal)
        expect(addresses(cluster)).toHaveLength(count)
      }
      green.before = () => {}
      await sync('write', NOON + 61_000)
      expect(addresses(cluster)).toHaveLength(2)
    },
  )
})
