import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { answerJson, startScriptedServer } from '../../test/support/scripted-server.ts'
import { SERVICES } from '../kubernetes/index.ts'
import { createLogger } from '../telemetry/index.ts'
import { createFakeAws, description, type FakeAws, foundName } from './fake-aws.fixtures.ts'
import {
  ClusterAccessError,
  type ClusterConfig,
  createClusterClients,
  createClusterDirectory,
} from './index.ts'

const EKS: ClusterConfig = { name: 'eu-1', kind: 'eks', clusterName: 'prod', region: 'eu-west-1' }
const ARN = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:edge-AbCdEf'
const SECRET: ClusterConfig = { name: 'edge', kind: 'secret', secretArn: ARN }
const SEARCH: ClusterConfig = { kind: 'discover', region: 'eu-west-1', tagKey: 'manage', tagValue: 'yes' }

describe('the clients of a deployment', () => {
  let aws: FakeAws

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 })
    aws = createFakeAws()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const logger = createLogger({ write: () => {} })
  const directoryOf = (...clusters: ClusterConfig[]) => createClusterDirectory({ clusters, aws, logger })

  it('keep a client each, and lose it with the cluster', async () => {
    aws.clusters.set('a', description({ manage: 'yes' })).set('b', description({ manage: 'yes' }))
    const clients = createClusterClients(directoryOf(SEARCH), logger)
    await clients.refresh()
    const a = clients.find(foundName('a'))
    aws.clusters.delete('b')
    await clients.refresh()
    expect(clients.find(foundName('a'))).toBe(a)
    expect(clients.names()).toEqual([foundName('a')])
  })

  it('ask EKS about the cluster of a key alone, after one search for all', async () => {
    for (let index = 0; index < 60; index++) aws.clusters.set(`c${index}`, description({ manage: 'yes' }))
    const clients = createClusterClients(directoryOf(SEARCH), logger)
    await clients.meet(foundName('c7'))
    aws.clusters.set('c7', { ...description({ manage: 'yes' }), endpoint: new URL('https://127.0.0.1:1') })
    const read = clients.find(foundName('c7'))?.get(SERVICES, { namespace: 'shop', name: 'web' })
    await expect(read).rejects.toThrow()
    expect(aws.asked.filter((what) => what !== 'credentials')).toEqual(['clusters', 'cluster c7'])
  })

  it.each([
    ['listed', { ...EKS, name: 'prod' }, 'prod'],
    ['found', SEARCH, foundName('prod')],
  ] as const)(
    'reach a %s cluster where it was made again, with the call after one that failed',
    async (_, config, name) => {
      // Certificates are checked by the machine's own clock.
      vi.useRealTimers()
      vi.useFakeTimers({ toFake: ['Date'] })
      const server = await startScriptedServer()
      onTestFinished(() => server.close())
      server.answer((_request, response) => answerJson(response, { metadata: { name: 'web' } }))
      const { ca } = await server.connection.credentials()
      const made = { ...description({ manage: 'yes' }), ca: String(ca) }
      aws.clusters.set('prod', { ...made, endpoint: new URL('https://127.0.0.1:1') })
      const clients = createClusterClients(directoryOf(config), logger)
      onTestFinished(() => clients.close())
      await clients.meet(name)
      const read = async () => clients.find(name)?.get(SERVICES, { namespace: 'shop', name: 'web' })
      await expect(read()).rejects.toThrow('ECONNREFUSED')
      aws.clusters.set('prod', { ...made, endpoint: server.connection.server })
      vi.advanceTimersByTime(60_000)
      await expect(read()).resolves.toMatchObject({ metadata: { name: 'web' } })
    },
  )

  it('may be there while no search has succeeded, and are searched for once a minute where one is missed', async () => {
    aws.clusters.set('a', description({ manage: 'yes' }))
    const clients = createClusterClients(directoryOf(SECRET, SEARCH), logger)
    const searches = () => aws.asked.filter((what) => what === 'clusters').length
    aws.fail(new Error('throttled'))
    await clients.meet('edge')
    vi.advanceTimersByTime(60_000)
    await clients.meet('edge')
    expect(searches()).toBe(1)
    expect(() => clients.find(foundName('a'))).toThrow(/failed to find cluster a-.*: .*throttled/)
    await clients.meet('edge')
    expect(searches()).toBe(2)
    expect(() => clients.find(foundName('a'))).toThrow(ClusterAccessError)
    aws.fail(undefined)
    await clients.meet('edge')
    expect(searches()).toBe(2)
    vi.advanceTimersByTime(60_000)
    await clients.meet('edge')
    const a = clients.find(foundName('a'))?.cluster
    expect([a, clients.find('b'), searches()]).toEqual([foundName('a'), undefined, 3])
  })

  it('look for a cluster that is not known, once a minute', async () => {
    const clients = createClusterClients(directoryOf(SEARCH), logger)
    const searches = () => aws.asked.filter((what) => what === 'clusters').length
    await expect(clients.meet(foundName('new'))).rejects.toMatchObject({
      name: 'ClusterAccessError',
      retryable: true,
    })
    await expect(clients.meet(foundName('new'))).rejects.toThrow(/failed to find cluster new-eu/)
    expect(searches()).toBe(1)
    aws.clusters.set('new', description({ manage: 'yes' }))
    vi.advanceTimersByTime(60_000)
    await clients.meet(foundName('new'))
    expect(clients.find(foundName('new'))).toBeDefined()
    expect(searches()).toBe(2)
  })

  it('know a list at once, and ask nobody for what is not in it', async () => {
    const clients = createClusterClients(directoryOf(SECRET), logger)
    await clients.meet('edge')
    await clients.meet('other')
    expect([clients.find('edge') === undefined, clients.find('other')]).toEqual([false, undefined])
    expect(aws.asked).toEqual([])
  })
})
