import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ApiClient, SERVICES } from '../kubernetes/index.ts'
import { createLogger } from '../telemetry/index.ts'
import { createFakeAws, description, type FakeAws, foundName } from './fake-aws.fixtures.ts'
import { type ClusterConfig, createClusterClients, createClusterDirectory, withBudget } from './index.ts'

const SEARCH: ClusterConfig = { kind: 'discover', region: 'eu-west-1', tagKey: 'manage', nameTag: 'name' }
const [A, STAYS] = [foundName('a'), foundName('stays')]
const endpoint = new URL('https://127.0.0.1:9')

describe('the clients of a deployment', () => {
  let aws: FakeAws
  let lines: { readonly msg: string; readonly cluster?: string }[]

  beforeEach(() => {
    aws = createFakeAws()
    lines = []
  })

  const logger = createLogger({ write: (line) => lines.push(JSON.parse(line)) })
  const open = (...clusters: ClusterConfig[]) =>
    createClusterClients(createClusterDirectory({ clusters, aws, logger }), logger)
  const put = (name: string, tags: Record<string, string> = {}): void =>
    void aws.clusters.set(name, { ...description({ manage: '', ...tags }), endpoint })
  const isClosed = async (client: ApiClient | undefined): Promise<boolean> => {
    const problem = await client?.get(SERVICES, { name: 'x', namespace: 'y' }).catch(String)
    return String(problem).includes('is closed')
  }

  it('are closed when their cluster goes or gets another name, each time, and no other is', async () => {
    put('stays')
    const clients = open(SEARCH)
    for (let time = 0; time < 3; time++) {
      put('a')
      await clients.refresh()
      const first = clients.find(A)
      put('a', { name: 'alias' })
      await clients.refresh()
      const second = clients.find('alias')
      expect(clients.find(A)).toBeUndefined()
      expect([await isClosed(first), await isClosed(second)]).toEqual([true, false])
      aws.clusters.delete('a')
      await clients.refresh()
      expect([await isClosed(second), clients.find('alias')]).toEqual([true, undefined])
      expect(await isClosed(clients.find(STAYS))).toBe(false)
    }
    const last = clients.find(STAYS)
    clients.close()
    expect(await isClosed(last)).toBe(true)
  })

  it('are searched for once by all who ask at the same time, and again by who asks later', async () => {
    put('a')
    const clients = open(SEARCH)
    const searches = (): number => aws.asked.filter((what) => what === 'clusters').length
    for (let time = 1; time <= 3; time++) {
      const found = await Promise.all([
        clients.refresh(),
        clients.refresh(),
        clients.meet('new').catch(() => []),
      ])
      expect([searches(), found[0], found[0]]).toEqual([time, [clients.find(A)], found[1]])
    }
  })

  it('are reported once when their cluster is gone', async () => {
    put('a')
    const clients = open(SEARCH)
    await clients.refresh()
    aws.clusters.delete('a')
    for (let time = 0; time < 3; time++) await clients.refresh()
    const reported = lines.filter(({ msg }) => msg.startsWith('the cluster is gone'))
    expect(reported.map(({ cluster }) => cluster)).toEqual([A])
  })

  it('know which clusters there are, and name them where one is missed', async () => {
    const clients = open(SEARCH)
    await expect(clients.meet('new')).rejects.toThrow(/; known are none$/)
    put('a')
    put('b')
    await clients.refresh()
    expect([clients.has(A), clients.has('new')]).toEqual([true, false])
    await expect(clients.meet('new')).rejects.toThrow(`; known are ${A}, ${foundName('b')}`)
    expect(clients.problems()).toEqual({ ambiguous: new Map(), unsearched: [] })
  })

  it('are searched for again where what is known is too old, by all who ask at once with one search', async () => {
    const clients = open(SEARCH)
    const searches = (): number => aws.asked.filter((what) => what === 'clusters').length
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    await clients.meetAll(60_000)
    vi.setSystemTime(Date.now() + 59_999)
    await clients.meetAll(60_000)
    expect(searches()).toBe(1)
    vi.setSystemTime(Date.now() + 1)
    await Promise.all([clients.meetAll(60_000), clients.meetAll(60_000)])
    expect(searches()).toBe(2)
    await Promise.all([clients.meetAll(0), clients.meetAll(0)])
    expect(searches()).toBe(3)
    vi.setSystemTime(Date.now() - 600_000)
    await clients.meetAll(60_000)
    expect(searches()).toBe(4)
  })

  it('are those of before where a later search for all of them fails, and none where the first one does', async () => {
    put('a')
    const failing = open(SEARCH)
    aws.fail(new Error('throttled'))
    await expect(failing.meetAll(0)).rejects.toThrow(
      'failed to find all clusters: no search has succeeded yet: throttled',
    )
    aws.fail(undefined)
    await failing.meetAll(0)
    aws.fail(new Error('throttled'))
    await failing.meetAll(0)
    expect(failing.known().map(({ name }) => name)).toEqual([A])
  })

  it('are searched for once and never again where every one is listed', async () => {
    const clients = open({ kind: 'secret', name: 'edge', secretArn: 'arn' })
    await clients.meetAll(0)
    const [client] = await clients.refresh()
    await clients.meetAll(0)
    expect([clients.find('edge'), clients.known()]).toEqual([client, [{ name: 'edge' }]])
    expect(aws.asked).not.toContain('clusters')
  })

  it('are known with the tags that they have by now', async () => {
    const clients = open(SEARCH, { kind: 'secret', name: 'edge', secretArn: 'arn' })
    put('a')
    await clients.meetAll(0)
    expect(clients.known()).toEqual([{ name: 'edge' }, { name: A, tags: { manage: '' } }])
    const before = clients.find(A)
    put('a', { set: 'prod' })
    await clients.meetAll(0)
    expect(clients.known()[1]?.tags).toEqual({ manage: '', set: 'prod' })
    expect(clients.find(A), 'a tag is no reason to connect again').toBe(before)
    aws.clusters.delete('a')
    await clients.meetAll(0)
    expect(clients.known()).toEqual([{ name: 'edge' }])
  })

  it('are known without the tags of another one that has the name of a listed one, which would join it to a set', async () => {
    const clients = open(SEARCH, { kind: 'secret', name: 'edge', secretArn: 'arn' })
    put('a', { name: 'edge', set: 'prod' })
    await clients.meetAll(0)
    expect(clients.known()).toEqual([{ name: 'edge' }])
  })

  it('are known with what to do where two have one name', async () => {
    const clients = open(SEARCH, { ...SEARCH, region: 'us-east-1' })
    put('a', { name: 'twin' })
    await clients.meetAll(0)
    expect(clients.known()).toEqual([
      {
        name: 'twin',
        tags: { manage: '', name: 'twin' },
        problem: expect.stringMatching(
          /eu-west-1:.*:cluster\/a and .*us-east-1:.*:cluster\/a; give all but one/,
        ),
      },
    ])
    expect(clients.find('twin')).toBeUndefined()
    await expect(clients.meet('twin')).rejects.toThrow(/^failed to find cluster twin: several clusters are /)
  })

  it('tell why one cannot be found while no search has succeeded', async () => {
    const clients = open(SEARCH)
    const cause = new Error('throttled')
    aws.fail(cause)
    await clients.refresh()
    expect(clients.problems().unsearched).toEqual([cause])
    expect(() => clients.find('a')).toThrow(expect.objectContaining({ cause }))
  })

  it('make as many calls as their budget has, twice as many at once', async () => {
    const { limiter } = withBudget(2)()
    const ending = new AbortController()
    let sent = 0
    const call = async (): Promise<void> => {
      await limiter?.({ action: 'list', signal: ending.signal }, async () => {
        sent++
      })
    }
    const calls = Promise.allSettled(Array.from({ length: 6 }, call))
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(sent).toBe(4)
    ending.abort()
    await calls
  })
})
