import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  createFakeAws,
  description,
  type FakeAws,
  foundName,
} from '../../shared/clusters/fake-aws.fixtures.ts'
import { createMemoryCluster, startListWatchServer } from '../../test/support/list-watch-server.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { type DeployedRelay, startDeployedRelay } from './from-environment.ts'
import { service, settle, until } from './relay.fixtures.ts'

const QUEUES = {
  SLICEFLOW_LIVE_QUEUE_URL: 'http://127.0.0.1:9/1/live',
  SLICEFLOW_SWEEP_QUEUE_URL: 'http://127.0.0.1:9/1/sweep',
  SLICEFLOW_PORT: '0',
}
const SEARCH = [{ kind: 'discover', region: 'eu-west-1', tagKey: 'manage' }]

type Line = Record<string, unknown>

/** Starts a relay that ends with the test, and gathers what it logs. */
async function deploy(
  aws: FakeAws,
  environment: Readonly<Record<string, string>> = {},
  options: { readonly searchIntervalMs?: number } = {},
): Promise<{ relay: DeployedRelay; lines: Line[]; metrics: () => Promise<string> }> {
  const lines: Line[] = []
  const relay = await startDeployedRelay({
    environment: { ...QUEUES, SLICEFLOW_CLUSTERS: JSON.stringify(SEARCH), ...environment },
    aws,
    write: (line) => lines.push(JSON.parse(line)),
    ...options,
  })
  onTestFinished(async () => {
    await relay.stop(100)
  })
  const metrics = async () => (await fetch(`http://127.0.0.1:${relay.port}/metrics`)).text()
  return { relay, lines, metrics }
}
/** A cluster where nothing listens: the relay goes on trying, as with any that is down. */
const CLOSED = { ...description({ manage: '' }), endpoint: new URL('https://127.0.0.1:9') }

describe('the deployed relay', () => {
  it('takes up clusters that get the tag, and leaves those that lose it', async () => {
    const aws = createFakeAws()
    aws.clusters.set('a', CLOSED)
    const { lines } = await deploy(aws, {}, { searchIntervalMs: 20 })
    const reported = ['started; waiting for the clusters', 'clusters came or went']
    const followed = () => lines.findLast(({ msg }) => reported.includes(String(msg)))?.clusters
    expect(followed()).toBe(foundName('a'))
    aws.clusters.set('b', CLOSED)
    await vi.waitFor(() => expect(followed()).toBe(`${foundName('a')}, ${foundName('b')}`), 10_000)
    aws.clusters.delete('a')
    await vi.waitFor(() => expect(followed()).toBe(foundName('b')), 10_000)
  })

  it('leaves a cluster that it keeps a checkpoint of, which says whose it is', async () => {
    const a = createMemoryCluster(() => undefined)
    const server = await startListWatchServer(() => a)
    onTestFinished(() => server.close())
    const endpoint = new URL(`https://127.0.0.1:${server.address.port}/clusters/a`)
    const aws = createFakeAws()
    aws.clusters.set('a', { ...description({ manage: '' }), endpoint, ca: server.address.ca })
    const folder = temporaryFolder()
    const { lines } = await deploy(aws, { SLICEFLOW_STATE_DIR: folder }, { searchIntervalMs: 20 })
    const said = (msg: string) => lines.findLast((line) => line.msg === msg)?.clusters
    await vi.waitFor(() => expect(said('ready: following every cluster')).toBe(foundName('a')), 10_000)
    aws.clusters.delete('a')
    await vi.waitFor(() => expect(said('clusters came or went')).toBe(''), 10_000)
    const [checkpoint = ''] = readdirSync(folder)
    expect(JSON.parse(readFileSync(join(folder, checkpoint), 'utf8'))).toMatchObject({
      cluster: foundName('a'),
      identity: expect.stringMatching(/./),
    })
  })

  it('starts where two clusters have one name, without that name', async () => {
    const aws = createFakeAws()
    aws.clusters.set('a', description({ manage: '', name: 'twin' }))
    const named = SEARCH.map((search) => ({ ...search, nameTag: 'name' }))
    const searches = named.flatMap((search) => [search, { ...search, region: 'us-east-1' }])
    const { lines, metrics } = await deploy(aws, { SLICEFLOW_CLUSTERS: JSON.stringify(searches) })
    const text = await metrics()
    expect(text).toContain('sliceflow_relay_watch_failing{cluster="twin",kind="services"} 1')
    expect(text).toContain('sliceflow_relay_cluster_synced{cluster="twin"} 0')
    expect(lines.some(({ level, cluster }) => level === 'error' && cluster === 'twin')).toBe(true)
  })

  it('says when it follows every cluster, counts what its queues do not take, and how many keys are left', async () => {
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local')
    onTestFinished(() => void vi.unstubAllEnvs())
    const a = createMemoryCluster(() => undefined)
    a.put('services', service('web'))
    const server = await startListWatchServer(() => a)
    onTestFinished(() => server.close())
    const aws = createFakeAws()
    const endpoint = new URL(`https://127.0.0.1:${server.address.port}/clusters/a`)
    aws.clusters.set('a', { ...description({ manage: '' }), endpoint, ca: server.address.ca })
    const { relay, lines, metrics } = await deploy(aws, {
      SLICEFLOW_VIEW_PUBLISHER_QUEUE_URL: 'http://127.0.0.1:9/1/discover',
      AWS_REGION: 'eu-west-1',
    })
    await vi.waitFor(
      async () => expect(await metrics()).toMatch(/send_errors_total\{lane="sweep"\} [1-9]/),
      15_000,
    )
    expect(await metrics()).not.toContain('send_errors_total{lane="live"}')
    expect(lines.find(({ msg }) => msg === 'ready: following every cluster')?.clusters).toBe(foundName('a'))
    expect(await relay.stop(100)).toBe(2)
    expect(lines.at(-1)).toMatchObject({ msg: expect.stringMatching(/^shut down/), unsent: 2 })
  })

  it('does not start with an environment that is wrong', async () => {
    await expect(deploy(createFakeAws(), { SLICEFLOW_CLUSTERS: '[]' })).rejects.toThrow(
      /^SLICEFLOW_CLUSTERS: clusters: the list is empty/,
    )
  })
})

describe('the deployed relay, by the times of production', () => {
  const MINUTE = 60_000
  let aws: FakeAws
  let lines: Line[]

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    aws = createFakeAws()
    aws.clusters.set('a', CLOSED)
  })

  async function start(more: Readonly<Record<string, string>> = {}) {
    const deployed = await deploy(aws, { SLICEFLOW_DEPLOYMENT: 'Prod/Sliceflow', ...more })
    lines = deployed.lines
    return deployed
  }
  async function pass(ms: number): Promise<void> {
    vi.advanceTimersByTime(ms)
    await settle()
  }
  const searches = (): number => aws.asked.filter((what) => what === 'clusters').length
  const reported = (metric: string): number => lines.filter((line) => metric in line).length

  it('says once a minute that it runs, and what its metrics are', async () => {
    await start()
    await pass(MINUTE - 1)
    expect(reported('RelayUp')).toBe(0)
    for (let minute = 1; minute <= 3; minute++) {
      await pass(minute === 1 ? 1 : MINUTE)
      expect([reported('RelayUp'), reported('RelayWatchFailing') > 0]).toEqual([minute, true])
    }
    const metrics = lines.filter((line) => '_aws' in line)
    expect(new Set(metrics.map(({ Deployment }) => Deployment))).toEqual(new Set(['Prod/Sliceflow']))
  })

  it.each([
    ['beside an active relay by names of its own', {}, 'StandbyRelay'],
    ['of a standby deployment by those of any relay', { SLICEFLOW_STANDBY_DEPLOYMENT: 'true' }, 'Relay'],
  ])('has the metrics of a standby %s, as sums over all clusters', async (_, more, prefix) => {
    await start({ SLICEFLOW_RELAY_STANDBY: 'true', ...more })
    await pass(MINUTE)
    expect([reported(`${prefix}Up`), reported(`${prefix}WatchFailing`)]).toEqual([1, 1])
    const metrics = lines.filter((line) => '_aws' in line)
    expect(metrics.filter((line) => 'Cluster' in line)).toEqual([])
  })

  it('searches for clusters every five minutes, also after a search that failed', async () => {
    await start()
    expect(searches()).toBe(1)
    await pass(5 * MINUTE - 1)
    expect(searches()).toBe(1)
    for (let time = 2; time <= 4; time++) {
      await pass(time === 2 ? 1 : 5 * MINUTE)
      expect(searches()).toBe(time)
    }
    aws.fail(new Error('throttled'))
    await pass(5 * MINUTE)
    // What was found before still holds.
    await pass(4 * MINUTE)
    expect(searches()).toBe(5)
  })

  it('searches again every half minute while no search has succeeded since its start, and then every five', async () => {
    aws.fail(new Error('throttled'))
    await start()
    for (let time = 1; time <= 4; time++) {
      expect(searches()).toBe(time)
      await pass(MINUTE / 2)
    }
    aws.fail(undefined)
    await pass(MINUTE / 2)
    const known = searches()
    await pass(4 * MINUTE)
    expect(searches()).toBe(known)
    expect(lines.findLast(({ msg }) => msg === 'clusters came or went')?.clusters).toBe(foundName('a'))
  })

  it('leaves nothing behind: no timer, no port, and its last metrics are written', async () => {
    const { relay, metrics } = await start()
    await until(async () => (await metrics()).includes('sliceflow_relay_watch_failures_total{'))
    await relay.stop(100)
    expect(reported('RelayWatchFailures')).toBeGreaterThan(0)
    await expect(fetch(`http://127.0.0.1:${relay.port}/healthz`)).rejects.toThrow('fetch failed')
    const searched = searches()
    await pass(60 * MINUTE)
    expect([searches(), reported('RelayUp')]).toEqual([searched, 0])
    expect(vi.getTimerCount()).toBe(0)
  })
})
