import type { ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { answerJson, startScriptedServer } from '../../test/support/scripted-server.ts'
import { type ApiClient, createApiClient, ExpiredError, SERVICES } from '../kubernetes/index.ts'
import { createLogger } from '../telemetry/index.ts'
import { createClusterIdentities, SameClusterError } from './index.ts'

const PATH = '/api/v1/namespaces/kube-system'

describe('the identities of clusters', () => {
  it('are compared before the clusters are followed, and the first name stays', async () => {
    const { identities, named } = scene()
    const [eu, us] = [await named('eu', 'uid-1'), await named('us', 'uid-1')]
    const asia = await named('asia', 'uid-2')
    await expect(identities.compare(5_000)).resolves.toEqual([
      new SameClusterError('us', 'eu', 'a namespace kube-system of uid uid-1'),
    ])
    await expect(listOf(us.client)).rejects.toThrow('clusters "eu" and "us" are one cluster')
    await listOf(eu.client)
    await listOf(asia.client)
    expect([...identities.refused().keys()]).toEqual(['us'])
  })

  it('are read once for each cluster, however many calls come', async () => {
    const { identities, named } = scene()
    const eu = await named('eu', 'uid-1')
    await identities.compare(5_000)
    await Promise.all([listOf(eu.client), listOf(eu.client), listOf(eu.client)])
    expect(eu.requests.filter((each) => each === `GET ${PATH}`)).toHaveLength(1)
  })

  it('refuse a cluster that answers later, and log both names once', async () => {
    const { identities, named, lines } = scene()
    const eu = await named('eu', undefined)
    const us = await named('us', 'uid-1')
    eu.fail()
    await expect(identities.compare(5_000)).resolves.toEqual([])
    await listOf(us.client)
    eu.is('uid-1')
    await expect(listOf(eu.client)).rejects.toThrow(SameClusterError)
    await expect(listOf(eu.client)).rejects.toThrow(SameClusterError)
    await listOf(us.client)
    const reported = lines.filter((line) => line.includes('two names lead to one cluster'))
    expect(reported).toEqual([expect.stringMatching(/"cluster":"eu","other":"us"/)])
    expect(eu.requests.filter((each) => !each.endsWith(PATH))).toEqual([])
  })

  it('admit a cluster again once its name leads elsewhere, or the other name is gone', async () => {
    const { identities, named, clock } = scene()
    const eu = await named('eu', 'uid-1')
    const us = await named('us', 'uid-1')
    await identities.compare(5_000)
    us.is('uid-2')
    await expect(listOf(us.client)).rejects.toThrow(SameClusterError)
    clock.now += 60_000
    await listOf(us.client)
    expect(identities.refused().size).toBe(0)
    const again = await named('eu-again', 'uid-1')
    await expect(listOf(again.client)).rejects.toThrow(SameClusterError)
    eu.client.close()
    // Set back: it must not have to catch up first.
    clock.now -= 600_000
    await listOf(again.client)
  })

  it('fall back to address and certificate authority where the namespace may not be read', async () => {
    const { identities, named, lines, another } = scene()
    const eu = await named('eu', undefined)
    const other = await named('other', undefined)
    const us = another('us', eu)
    await expect(identities.compare(5_000)).resolves.toEqual([
      new SameClusterError('us', 'eu', 'the same address and certificate authority'),
    ])
    await listOf(other.client)
    await expect(listOf(us)).rejects.toThrow(SameClusterError)
    expect(lines.filter((line) => line.includes('may not be read')).length).toBe(3)
  })

  it('know a cluster again where only one of its two names may read the namespace', async () => {
    const { identities, named, another } = scene()
    const eu = await named('eu', 'uid-1')
    await identities.compare(5_000)
    eu.is(undefined)
    await expect(listOf(another('us', eu))).rejects.toThrow(SameClusterError)
  })

  it('have a watch list again when the name leads to another cluster after an outage', async () => {
    const { named, lines } = scene()
    const eu = await named('eu', 'uid-1')
    await listOf(eu.client)
    eu.fail()
    await expect(listOf(eu.client)).rejects.toThrow()
    eu.is('uid-2')
    const watch = { resourceVersion: '7', timeoutSeconds: 60, inactivityMs: 60_000 }
    await expect(eu.client.watch(SERVICES, watch)).rejects.toThrow(ExpiredError)
    expect(lines.some((line) => line.includes('leads to another cluster than before'))).toBe(true)
    await listOf(eu.client)
    await (await eu.client.watch(SERVICES, watch)).return(undefined)
  })

  it('have it list again also where it asks for the version before, or another watcher has listed', async () => {
    const { named } = scene()
    const eu = await named('eu', 'uid-1')
    const [one, other] = [new AbortController(), new AbortController()]
    const pagesOf = ({ signal }: AbortController) => eu.client.pages(SERVICES, { limit: 1, signal })
    const watchOf = ({ signal }: AbortController) =>
      eu.client.watch(SERVICES, { resourceVersion: '7', timeoutSeconds: 60, inactivityMs: 60_000, signal })
    const listAs = async (each: AbortController) => {
      for await (const { items } of pagesOf(each)) expect(items).toEqual([])
    }
    for (const each of [one, other]) await listAs(each)
    eu.fail()
    await expect(listOf(eu.client)).rejects.toThrow()
    eu.is('uid-2')
    for await (const _page of pagesOf(one)) break
    await listAs(other)
    await expect(watchOf(one)).rejects.toThrow(ExpiredError)
    await (await watchOf(other)).return(undefined)
  })
})

it('are read again where credentials tell another address, though no call has failed', async () => {
  const { identities, named } = scene()
  const [us, one, other] = [
    await named('us', 'uid-2'),
    await named('one', 'uid-1'),
    await named('other', 'uid-2'),
  ]
  const places = { current: one }
  const connection = {
    ...{ name: 'moving', server: new URL('https://moving.invalid') },
    credentials: async () => ({
      ...(await places.current.connection.credentials()),
      server: places.current.connection.server,
      expiresAt: Date.now() - 1,
    }),
  }
  const moving = identities.admit(createApiClient(connection), connection)
  onTestFinished(() => moving.close())
  await listOf(us.client)
  await listOf(moving)
  places.current = other
  const before = other.requests.length
  await expect(listOf(moving)).rejects.toThrow('clusters "us" and "moving" are one cluster')
  expect(other.requests.slice(before)).toEqual([`GET ${PATH}`])
})

it('have a watch list again where the address changed without a call that failed', async () => {
  const { identities, named } = scene()
  const [one, other] = [await named('one', 'uid-1'), await named('other', 'uid-2')]
  const places = [one, other]
  let refusals = 0
  const connection = {
    ...{ name: 'moving', server: new URL('https://moving.invalid') },
    credentials: async () => ({
      ...(await places[0]?.connection.credentials()),
      headers: {},
      server: places[0]?.connection.server ?? one.connection.server,
    }),
  }
  const moving = identities.admit(createApiClient(connection), connection)
  onTestFinished(() => moving.close())
  await listOf(moving)
  places.shift()
  one.server.answer((_, response) => {
    refusals++
    answerJson(response, { kind: 'Status', code: 401 }, 401)
  })
  await expect(listOf(moving)).rejects.toThrow('another address')
  expect([refusals, other.requests]).toEqual([1, []])
  const watch = { resourceVersion: '7', timeoutSeconds: 60, inactivityMs: 60_000 }
  await expect(moving.watch(SERVICES, watch)).rejects.toThrow(ExpiredError)
})

const listOf = (client: ApiClient) => client.list(SERVICES)

function scene() {
  const lines: string[] = []
  const clock = { now: 0 }
  const logger = createLogger({ write: (line) => void lines.push(line) })
  const identities = createClusterIdentities({ logger, now: () => clock.now })
  type Named = Awaited<ReturnType<typeof named>>

  async function named(name: string, first: string | undefined) {
    const server = await startScriptedServer()
    onTestFinished(() => server.close())
    const connection = { ...server.connection, name }
    const client = identities.admit(createApiClient(connection), connection)
    onTestFinished(() => client.close())
    const is = (uid: string | undefined) =>
      server.answer(({ url = '' }, response) => {
        if (url !== PATH) return answerJson(response, { metadata: { resourceVersion: '7' }, items: [] })
        if (uid === undefined) return refuse(response)
        return answerJson(response, { metadata: { name: 'kube-system', uid } })
      })
    is(first)
    const fail = () => server.answer((request) => void request.socket.destroy())
    return { client, connection, server, is, fail, requests: server.requests }
  }

  /** Another name for the same server. */
  function another(name: string, { connection }: Named): ApiClient {
    const own = { ...connection, name }
    const client = identities.admit(createApiClient(own), own)
    onTestFinished(() => client.close())
    return client
  }

  return { identities, named, another, lines, clock }
}

function refuse(response: ServerResponse): void {
  answerJson(response, { kind: 'Status', code: 403, reason: 'Forbidden', message: 'no' }, 403)
}
