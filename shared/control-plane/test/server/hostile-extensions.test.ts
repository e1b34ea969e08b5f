import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../../../test/support/raw-client.ts'
import { isAggregator } from '../../testing/extension-server.ts'
import { AGGREGATED, type DelegatingScene, GROUP, startDelegatingScene, ZS } from './delegating-scene.ts'

const PATIENCE = { timeout: 20_000, interval: 100 }
const MEGABYTE = Buffer.alloc(1024 * 1024, ' ')
let scene: DelegatingScene

beforeAll(async () => {
  scene = await startDelegatingScene()
  await scene.available('Passed')
})
afterAll(() => scene[Symbol.asyncDispose]())

/**
 * Has the extension server answer the aggregator's question for `/apis` with this document, until it is asked
 * for.
 */
async function say(document: unknown): Promise<void> {
  scene.extension.answer((request, response) => {
    if (!isAggregator(request) || request.url !== '/apis') return false
    response.setHeader('content-type', AGGREGATED)
    response.end(typeof document === 'string' ? document : JSON.stringify(document))
    return true
  })
  await scene.lookAgain()
}

async function groups(): Promise<string[]> {
  const { items } = (await scene.server.client.get('/apis', { accept: AGGREGATED })).body
  return items.map(({ metadata }: Json) => metadata.name)
}

async function expectTheRestToBeWell(): Promise<void> {
  const { client } = scene.server
  expect((await client.get('/api/v1/namespaces')).status).toBe(200)
  expect((await client.get('/readyz')).text).toBe('ok')
  expect((await client.get('/openapi/v3')).body.paths['api/v1']).toBeDefined()
  expect(await groups()).toContain('discovery.k8s.io')
}

describe('an extension server that lies', () => {
  it('adds only its own group-version to discovery', async () => {
    const entry = (resource: string): Json => ({
      version: 'v1',
      resources: [{ resource, scope: 'Namespaced', verbs: ['list'], __proto__: { x: 1 } }],
    })
    await say({
      items: [
        { metadata: { name: GROUP }, versions: [entry('lies'), { ...entry('more'), version: 'v2' }] },
        { metadata: { name: 'discovery.k8s.io' }, versions: [entry('stolen')] },
        { metadata: { name: 'invented.example.com' }, versions: [entry('invented')] },
      ],
    })
    await expect
      .poll(async () => (await scene.discovered()).resources, PATIENCE)
      .toMatchObject([{ resource: 'lies', verbs: ['list'] }])
    const { text } = await scene.server.client.get('/apis', { accept: AGGREGATED })
    for (const word of ['stolen', 'invented', 'more']) expect(text).not.toContain(`"${word}`)
    await expectTheRestToBeWell()
  })

  it.each([
    ['no JSON', '<html>'],
    ['no object', '[1]'],
    ['deep nesting', '['.repeat(200_000)],
    ['nothing', ''],
  ])('with a document that is %s has no resources', async (_, document) => {
    await say(document)
    await expect.poll(() => scene.discovered(), PATIENCE).toEqual({ version: 'v1', freshness: 'Stale' })
    await expectTheRestToBeWell()
  })

  it('with members of wrong types says nothing by them', async () => {
    const resources = [null, 1, 'x', { resource: 7, verbs: 'all', scope: {}, shortNames: [1, 's'] }]
    await say({ items: [null, { metadata: { name: GROUP }, versions: [7, { version: 'v1', resources }] }] })
    await expect
      .poll(async () => (await scene.discovered()).resources, PATIENCE)
      .toEqual([
        {
          resource: '',
          responseKind: { group: '', version: '', kind: '' },
          scope: 'Cluster',
          singularResource: '',
          verbs: [],
          shortNames: ['s'],
        },
      ])
  })

  it('with a document that does not end is not listened to beyond a bound', async () => {
    let sent = 0
    const endless = (response: ServerResponse): void => {
      response.setHeader('content-type', AGGREGATED)
      const more = (): void => {
        while (!response.destroyed && response.write(MEGABYTE)) sent++
      }
      response.on('drain', more)
      more()
    }
    const ended = new Promise<void>((resolve) => {
      scene.extension.answer((request, response) => {
        if (!isAggregator(request) || request.url !== '/apis') return false
        endless(response)
        void once(response, 'close').then(() => resolve())
        return true
      })
    })
    await scene.lookAgain()
    await ended
    expect(sent).toBeLessThan(64)
    await expect.poll(() => scene.discovered(), PATIENCE).toEqual({ version: 'v1', freshness: 'Stale' })
    await expectTheRestToBeWell()
  })

  it('with an answer that cannot be passed on gets the client a 502', async () => {
    scene.extension.answer((request, response) => {
      if (isAggregator(request)) return false
      response.socket?.end('HTTP/1.1 799 Odd\r\ncontent-length: 0\r\n\r\n')
      return true
    })
    const { status } = await scene.server.client.get(ZS)
    expect([502, 799]).toContain(status)
    await expectTheRestToBeWell()
  })

  it('with no answer but noise gets the client a 503', async () => {
    scene.extension.answer((request, response) => {
      if (isAggregator(request)) return false
      response.socket?.end('noise\r\n\r\n')
      return true
    })
    const { status, text } = await scene.server.client.get(ZS)
    expect([status, text]).toEqual([503, expect.stringContaining('error trying to reach service: ')])
  })

  it('with an answer of any size passes it on at the pace of the client', async () => {
    const total = 16
    scene.extension.answer((request, response) => {
      if (isAggregator(request)) return false
      let left = total
      const more = (): void => {
        for (let isFree = true; isFree && left > 0; left--) isFree = response.write(MEGABYTE)
        if (left === 0) response.end()
      }
      response.on('drain', more)
      more()
      return true
    })
    const before = process.memoryUsage().arrayBuffers
    const { status, bytes } = await scene.server.client.get(ZS)
    expect([status, bytes.length]).toEqual([200, total * MEGABYTE.length])
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * total * MEGABYTE.length)
  })
})

describe('an extension server that hangs', () => {
  it('holds up no discovery, and in the end its group only', async () => {
    scene.extension.answer(undefined)
    await scene.lookAgain()
    await expect.poll(async () => (await scene.discovered()).freshness, PATIENCE).toBe('Current')
    const waiting: ServerResponse[] = []
    scene.extension.answer((_, response) => waiting.push(response) > 0)
    await scene.lookAgain()
    await expect.poll(() => waiting.length, PATIENCE).toBeGreaterThan(0)
    const begin = performance.now()
    await expectTheRestToBeWell()
    expect(performance.now() - begin).toBeLessThan(4000)
    await scene.available('FailedDiscoveryCheck')
    expect(await scene.discovered()).toEqual({ version: 'v1', freshness: 'Stale' })
    expect((await scene.server.client.get(ZS)).text).toBe('service unavailable\n')
    scene.extension.answer(undefined)
    await scene.lookAgain()
    await scene.available('Passed')
  })

  it('does not hold up the end of the server', async () => {
    await using other = await startDelegatingScene()
    await other.available('Passed')
    other.extension.answer(() => true)
    const pending = other.server.client.get(ZS).catch(() => 'broken off')
    await other.server[Symbol.asyncDispose]()
    expect(await pending).toBe('broken off')
  })
})

it('nothing of all that is a failure of the server itself', () => {
  expect(scene.server.failures).toEqual([])
})
