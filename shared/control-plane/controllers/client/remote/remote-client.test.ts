import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  answerJson,
  type ScriptedServer,
  startScriptedServer,
} from '../../../../../test/support/scripted-server.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { CONFIG_MAPS } from '../resources.ts'
import { RemoteClient } from './remote-client.ts'

const VERBS = ['delete', 'get', 'list', 'watch']
const configMaps = {
  resource: 'configmaps',
  responseKind: { kind: 'ConfigMap' },
  scope: 'Namespaced',
  verbs: VERBS,
}
const discovery = (path: string): JsonObject => ({
  kind: 'APIGroupDiscoveryList',
  items:
    path === '/api'
      ? [{ metadata: {}, versions: [{ version: 'v1', resources: [configMaps] }] }]
      : [{ metadata: { name: 'example.com' }, versions: [{ version: 'v1', freshness: 'Stale' }] }],
})
const object = (name: string, uid: string, resourceVersion: string, more: JsonObject = {}): JsonObject => ({
  metadata: { name, namespace: 'shop', uid, resourceVersion, ...more },
})
const notFound = (details?: JsonObject): JsonObject => ({
  kind: 'Status',
  code: 404,
  reason: 'NotFound',
  ...(details && { details }),
})

describe('a client of a server somewhere else', () => {
  let server: ScriptedServer
  let client: RemoteClient
  let errors: unknown[]
  let items: JsonObject[]
  let watches: ServerResponse[]
  /** Answers before the usual ones; false where it does not. */
  let answer: (request: IncomingMessage, response: ServerResponse) => boolean

  beforeEach(async () => {
    server = await startScriptedServer()
    errors = []
    items = []
    watches = []
    answer = () => false
    server.answer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'https://server')
      if (answer(request, response)) return
      if (pathname === '/api' || pathname === '/apis') return answerJson(response, discovery(pathname))
      if (searchParams.has('watch')) {
        watches.push(response)
        response.writeHead(200).flushHeaders()
        return
      }
      answerJson(response, { metadata: { resourceVersion: '10' }, items })
    })
    client = new RemoteClient(server.connection, (error) => errors.push(error))
  })
  afterEach(async () => {
    client.stop()
    await server.close()
  })

  function follow(): string[] {
    const told: string[] = []
    client.follow(CONFIG_MAPS, { metadataOnly: true }, ({ type, object: { metadata }, previous }) =>
      told.push(`${type} ${metadata.name} ${metadata.uid} ${previous?.metadata.resourceVersion ?? '-'}`),
    )
    return told
  }
  const expectTold = (told: string[], ...expected: string[]): Promise<void> =>
    expect.poll(() => told, { timeout: 10_000 }).toEqual(expected)
  const send = (type: string, sent: JsonObject): void =>
    void watches.at(-1)?.write(`${JSON.stringify({ type, object: sent })}\n`)

  it('delivers the initial objects, then changes with the objects before them', async () => {
    items = [object('a', 'u1', '1')]
    const told = follow()
    await expect.poll(() => watches).toHaveLength(1)
    send('MODIFIED', object('a', 'u1', '11'))
    send('ADDED', object('b', 'u2', '12'))
    send('DELETED', object('a', 'u1', '13'))
    await expectTold(told, 'ADDED a u1 -', 'MODIFIED a u1 1', 'ADDED b u2 -', 'DELETED a u1 11')
    const late = follow()
    expect(late).toEqual(['ADDED b u2 -'])
    expect(server.requests.filter((line) => line.includes('watch=true'))).toHaveLength(1)
  })

  it('delivers after a relist what was deleted, added, changed and recreated meanwhile', async () => {
    items = ['gone', 'same', 'changed', 'anew'].map((name) => object(name, `${name}-1`, '1'))
    const told = follow()
    await expect.poll(() => watches).toHaveLength(1)
    told.length = 0
    items = [
      object('same', 'same-1', '1'),
      object('changed', 'changed-1', '2'),
      object('anew', 'anew-2', '3'),
      object('come', 'come-1', '4'),
    ]
    send('ERROR', { kind: 'Status', code: 410, reason: 'Expired' })
    await expectTold(
      told,
      'MODIFIED changed changed-1 1',
      'DELETED anew anew-1 1',
      'ADDED anew anew-2 -',
      'ADDED come come-1 -',
      'DELETED gone gone-1 1',
    )
  })

  it('passes over what is no object of Kubernetes', async () => {
    const bad = [
      {},
      { metadata: { name: 'no-uid' } },
      object('', 'u', '1'),
      object('a', 'u', '1', { namespace: 7 }),
    ]
    items = [...bad, object('good', 'u1', '1')]
    await expectTold(follow(), 'ADDED good u1 -')
  })

  it('takes an object for gone when the server says that of this object, not of its path', async () => {
    const ref = { namespace: 'shop', name: 'a' }
    answer = (_, response) => {
      answerJson(response, notFound({ name: 'a', kind: 'configmaps' }), 404)
      return true
    }
    expect(await client.get(CONFIG_MAPS, ref)).toBeUndefined()
    for (const status of [notFound(), notFound({ name: 'b' })]) {
      answer = (_, response) => {
        answerJson(response, status, 404)
        return true
      }
      await expect(client.get(CONFIG_MAPS, ref)).rejects.toMatchObject({ code: 404 })
    }
  })

  it('sends with every write which object it is for, in which state', async () => {
    const bodies: JsonObject[] = []
    answer = (request, response) => {
      let text = ''
      request.on('data', (chunk) => {
        text += chunk
      })
      request.on('end', () => {
        bodies.push(JSON.parse(text))
        answerJson(response, object('a', 'u1', '2'))
      })
      return true
    }
    const metadata = { name: 'a', namespace: 'shop', uid: 'u1', resourceVersion: '1' }
    await client.updateMetadata(CONFIG_MAPS, { metadata }, { finalizers: [] })
    await client.delete(CONFIG_MAPS, { metadata }, { propagationPolicy: 'Background' })
    await client.delete(CONFIG_MAPS, { metadata }, { unchanged: true })
    expect(bodies).toMatchObject([
      { metadata: { uid: 'u1', resourceVersion: '1', finalizers: [] } },
      { preconditions: { uid: 'u1' }, propagationPolicy: 'Background' },
      { preconditions: { uid: 'u1', resourceVersion: '1' } },
    ])
    expect(bodies[1]).not.toHaveProperty('preconditions.resourceVersion')
  })

  it('retries discovery until it succeeds, and reports every failure', async () => {
    let refusals = 2
    answer = (request, response) => {
      if (refusals === 0 || request.url !== '/api') return false
      refusals--
      answerJson(response, { kind: 'Status', code: 503, message: 'starting' }, 503)
      return true
    }
    await client.start()
    expect(errors).toHaveLength(2)
    expect(client.serves(CONFIG_MAPS)).toBe(true)
    expect((await client.discover()).undiscovered).toEqual(['example.com/v1'])
  })

  it('keeps what it knows while discovery fails', async () => {
    await client.start()
    const followed: string[] = []
    client.followResources(({ plural }) => {
      followed.push(plural)
      return () => followed.push(`no ${plural}`)
    })
    answer = (_, response) => {
      answerJson(response, { kind: 'Status', code: 503, message: 'away' }, 503)
      return true
    }
    await expect(client.discover()).rejects.toMatchObject({ code: 503 })
    expect(followed).toEqual(['configmaps'])
    expect(client.resourceOfKind('v1', 'ConfigMap')).toMatchObject({ plural: 'configmaps' })
    expect(client.resourceOfKind('example.com/v1', 'Thing')).toBeUndefined()
  })
})
