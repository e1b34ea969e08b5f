import { Registry } from 'prom-client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ClusterSet, type ClusterSetMember, membersDigest } from '../../../shared/cluster-sets/index.ts'
import { parseSettings } from '../../../shared/settings/index.ts'
import { createLogger, createRelayMetrics } from '../../../shared/telemetry/index.ts'
import { createQueue, never, soon } from '../relay.fixtures.ts'
import {
  createSlice,
  exportService,
  type FleetCluster,
  startClusters,
  startReadyCluster,
} from './fleet-relay.fixtures.ts'
import { type FleetRelays, type FleetRelaysOptions, startFleetRelays } from './index.ts'

const memberOf = (
  { client: { cluster } }: FleetCluster,
  more: Partial<ClusterSetMember> = {},
): ClusterSetMember => ({ cluster, id: cluster, role: 'both', ...more })

const setOf = (name: string, ...members: readonly ClusterSetMember[]): ClusterSet => ({
  name,
  members,
  namespaces: ['*'],
})

/** Starts relays of these sets, with a queue of their own. */
function open(
  sets: readonly ClusterSet[],
  clusters: readonly FleetCluster[],
  more: Partial<FleetRelaysOptions> = {},
) {
  const queue = createQueue()
  const log: { readonly level: string; readonly msg: string; readonly problem?: string }[] = []
  const registry = new Registry()
  const metrics = createRelayMetrics(registry)
  const clients = clusters.map(({ client }) => client)
  const relays = startFleetRelays({
    sets,
    clients,
    settings: parseSettings({ coalescingWindow: 0 }),
    senders: queue.senders,
    telemetry: { logger: createLogger({ write: (line) => log.push(JSON.parse(line)) }), metrics },
    times: { discoveryMs: 20 },
    ...more,
  })
  onTestFinished(async () => void (await relays.stop(soon())))
  return {
    relays,
    queue,
    log,
    follow: (wanted: readonly ClusterSet[], signal = never): ReturnType<FleetRelays['follow']> =>
      relays.follow(wanted, clients, signal),
    /** Waits until these keys, and no others, were sent since it was last asked, however often. */
    async untilSent(...keys: string[]): Promise<void> {
      await expect.poll(() => [...new Set(queue.sent)].sort()).toEqual(keys)
      queue.taken()
    },
    /** Returns the watches that are failing, as the metrics show them. */
    async failing(): Promise<string[]> {
      const lines = (await registry.metrics()).split('\n')
      return lines.filter((line) => line.startsWith('sliceflow_relay_watch_failing') && line.endsWith(' 1'))
    },
  }
}

describe('the relays of cluster sets, when clusters come and go', () => {
  it('send all keys of a set that a cluster joins, with what that has, and follow its changes', async () => {
    const [eu, us] = await startClusters()
    await Promise.all([exportService(eu, 'web'), exportService(us, 'api')])
    const { follow, untilSent, queue } = open([setOf('prod', memberOf(eu))], [eu, us])
    await untilSent('sweep clusterset:prod/shop/web')
    expect(queue.messages.at(-1)?.membersDigest).toBe(membersDigest({ members: [memberOf(eu)] }))
    const joined = setOf('prod', memberOf(eu), memberOf(us))
    await follow([joined])
    await untilSent('sweep clusterset:prod/shop/api', 'sweep clusterset:prod/shop/web')
    expect(queue.messages.at(-1)?.membersDigest).toBe(membersDigest(joined))
    await createSlice(us, 'api', '10.0.0.1')
    await untilSent('live clusterset:prod/shop/api')
    expect(Object.keys(queue.messages.at(-1)?.fleetVersions ?? {})).toEqual(['eu', 'us'])
  })

  it('send the keys of what a cluster exported that leaves, and of what it has imported', async () => {
    const [eu, us] = await startClusters()
    await Promise.all([exportService(eu, 'web'), exportService(us, 'web')])
    const { follow, untilSent, queue } = open([setOf('prod', memberOf(eu), memberOf(us))], [eu, us])
    await untilSent('sweep clusterset:prod/shop/web')
    await follow([setOf('prod', memberOf(eu), memberOf(us, { role: 'leave' }))])
    await untilSent('sweep clusterset:prod/shop/web')
    await follow([setOf('prod', memberOf(eu))])
    await untilSent('sweep clusterset:prod/shop/web')
    await createSlice(us, 'web', '10.0.0.1')
    await createSlice(eu, 'web', '10.0.0.2')
    await untilSent('live clusterset:prod/shop/web')
    expect(Object.keys(queue.messages.at(-1)?.fleetVersions ?? {})).toEqual(['eu'])
  })

  it('go on with a set that is as it was, and end one that is gone', async () => {
    const [eu, us] = await startClusters()
    await Promise.all([exportService(eu, 'web'), exportService(us, 'web')])
    const [prod, test] = [setOf('prod', memberOf(eu)), setOf('test', memberOf(us))]
    const { relays, follow, untilSent, queue } = open([prod, test], [eu, us])
    await untilSent('sweep clusterset:prod/shop/web', 'sweep clusterset:test/shop/web')
    await follow(structuredClone([prod, test]))
    await follow([structuredClone(prod)])
    await createSlice(us, 'web', '10.0.0.1')
    await createSlice(eu, 'web', '10.0.0.2')
    await untilSent('live clusterset:prod/shop/web')
    await follow([])
    await createSlice(eu, 'web-2', '10.0.0.3')
    expect(queue.sent).toEqual([])
    expect(relays.health().ready).toEqual({ ok: true, reason: 'ok' })
    await follow([test])
    await untilSent('sweep clusterset:test/shop/web')
  })

  it('list a set again of which a cluster has another client', async () => {
    const eu = await startReadyCluster('eu')
    await exportService(eu, 'web')
    const prod = setOf('prod', memberOf(eu))
    const { relays, untilSent } = open([prod], [eu])
    await untilSent('sweep clusterset:prod/shop/web')
    await relays.follow([prod], [{ ...eu.client }], never)
    await untilSent('sweep clusterset:prod/shop/web')
  })

  it('send what waits before they follow other clusters, for no longer than they may', async () => {
    const [eu, us] = await startClusters()
    await exportService(eu, 'web')
    const { relays, follow, queue } = open([setOf('prod', memberOf(eu))], [eu, us])
    await relays.synced
    queue.setUp(false)
    await createSlice(eu, 'web', '10.0.0.1')
    await follow([setOf('prod', memberOf(eu), memberOf(us))], AbortSignal.timeout(50))
    queue.setUp(true)
    // What was not sent by then is among all keys of the set.
    await expect.poll(() => queue.sent).toContain('sweep clusterset:prod/shop/web')
  })

  it('show a cluster whose identity is unknown as failing, say why, and follow the others', async () => {
    const [eu, us] = await startClusters()
    await exportService(eu, 'web')
    const problem = 'cluster "us" is in the sets "prod" by the tag set and "test" by the tag test'
    const { follow, untilSent, log, failing } = open(
      [setOf('prod', memberOf(eu), memberOf(us, { problem }))],
      [eu, us],
    )
    await untilSent('sweep clusterset:prod/shop/web')
    expect(await failing()).toEqual(['sliceflow_relay_watch_failing{cluster="us",kind="serviceexports"} 1'])
    expect(log.filter(({ level }) => level === 'error').map((line) => line.problem)).toEqual([problem])
    await follow([setOf('prod', memberOf(eu), memberOf(us))])
    await untilSent('sweep clusterset:prod/shop/web')
    expect(await failing()).toEqual([])
  })

  it('follow the sets of their shard alone, before and after', async () => {
    const [eu, us] = await startClusters()
    await exportService(eu, 'web')
    const names = Array.from({ length: 4 }, (_, at) => `set-${at}`)
    const sets = names.map((name) => setOf(name, memberOf(eu)))
    const joined = names.map((name) => setOf(name, memberOf(eu), memberOf(us)))
    const shards = ['0/2', '1/2'].map((shard) =>
      open(sets, [eu, us], { settings: parseSettings({ coalescingWindow: 0, shard, stateDir: '' }) }),
    )
    const followed = async (): Promise<string[][]> => {
      await expect.poll(() => shards.flatMap(({ queue }) => queue.sent)).toHaveLength(names.length)
      return shards.map(({ queue }) => queue.taken())
    }
    const before = await followed()
    expect(before.every(({ length }) => length > 0)).toBe(true)
    for (const { follow } of shards) await follow(joined)
    expect(await followed()).toEqual(before)
  })
})
