import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { answerJson, startScriptedServer } from '../../test/support/scripted-server.ts'
import { SERVICES } from '../kubernetes/index.ts'
import { EKS, SEARCH, SECRET, useDirectory } from './directory.fixtures.ts'
import { description, foundName } from './fake-aws.fixtures.ts'
import { ClusterAccessError, createClusterClients } from './index.ts'

describe('the clients of a deployment', () => {
  const scene = useDirectory()
  const { directoryOf, logger } = scene

  it('keep a client each, and lose it with the cluster', async () => {
    scene.aws.clusters.set('a', description({ manage: 'yes' })).set('b', description({ manage: 'yes' }))
    const clients = createClusterClients(directoryOf(SEARCH), logger)
    await clients.refresh()
    const a = clients.find(foundName('a'))
    scene.aws.clusters.delete('b')
    await clients.refresh()
    expect(clients.find(foundName('a'))).toBe(a)
    expect(clients.names()).toEqual([foundName('a')])
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
      scene.aws.clusters.set('prod', { ...made, endpoint: new URL('https://127.0.0.1:1') })
      const clients = createClusterClients(directoryOf(config), logger)
      onTestFinished(() => clients.close())
      await clients.meet(name)
      const read = async () => clients.find(name)?.get(SERVICES, { namespace: 'shop', name: 'web' })
      await expect(read()).rejects.toThrow('ECONNREFUSED')
      scene.aws.clusters.set('prod', { ...made, endpoint: server.connection.server })
      vi.advanceTimersByTime(60_000)
      await expect(read()).resolves.toMatchObject({ metadata: { name: 'web' } })
    },
  )

  it('may be there while no search has succeeded, and are searched for once a minute where one is missed', async () => {
    scene.aws.clusters.set('a', description({ manage: 'yes' }))
    const clients = createClusterClients(directoryOf(SECRET, SEARCH), logger)
    const searches = () => scene.aws.asked.filter((what) => what === 'clusters').length
    scene.aws.fail(new Error('throttled'))
    await clients.meet('edge')
    vi.advanceTimersByTime(60_000)
    await clients.meet('edge')
    expect(searches()).toBe(1)
    expect(() => clients.find(foundName('a'))).toThrow(/failed to find cluster a-.*: .*throttled/)
    await clients.meet('edge')
    expect(searches()).toBe(2)
    expect(() => clients.find(foundName('a'))).toThrow(ClusterAccessError)
    scene.aws.fail(undefined)
    await clients.meet('edge')
    expect(searches()).toBe(2)
    vi.advanceTimersByTime(60_000)
    await clients.meet('edge')
    const a = clients.find(foundName('a'))?.cluster
    expect([a, clients.find('b'), searches()]).toEqual([foundName('a'), undefined, 3])
  })

  it('search for a cluster that is not known, once a minute', async () => {
    const clients = createClusterClients(directoryOf(SEARCH), logger)
    const searches = () => scene.aws.asked.filter((what) => what === 'clusters').length
    await expect(clients.meet(foundName('new'))).rejects.toMatchObject({
      name: 'ClusterAccessError',
      retryable: true,
    })
    await expect(clients.meet(foundName('new'))).rejects.toThrow(/failed to find cluster new-eu/)
    expect(searches()).toBe(1)
    scene.aws.clusters.set('new', description({ manage: 'yes' }))
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
    expect(scene.aws.asked).toEqual([])
  })
})
