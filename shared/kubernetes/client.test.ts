import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answerJson, type ScriptedServer, startScriptedServer } from '../../test/support/scripted-server.ts'
import { type ApiClient, createApiClient, ENDPOINT_SLICES, PODS, SERVICES } from './index.ts'
import { status } from './status.fixtures.ts'

describe('the API client', () => {
  let server: ScriptedServer
  let client: ApiClient
  let token: string

  beforeEach(async () => {
    token = 'first'
    server = await startScriptedServer(() => ({ headers: { authorization: `Bearer ${token}` } }))
    client = createApiClient(server.connection)
  })
  afterEach(async () => {
    client.close()
    await server.close()
  })

  it('sends many calls over one connection', async () => {
    server.answer((_request, response) => answerJson(response, { metadata: { name: 'cart' } }))
    for (let call = 0; call < 20; call++) await client.get(SERVICES, { namespace: 'shop', name: 'cart' })
    expect(server.connections()).toBe(1)
    expect(server.requests[0]).toBe('GET /api/v1/namespaces/shop/services/cart')
  })

  it('calls over a new connection after a silent watch: idle ones may be as dead', async () => {
    const known = new Set<unknown>()
    const found = { metadata: { name: 'cart' } }
    const get = () => client.get(SERVICES, { namespace: 'shop', name: 'cart' })
    server.answer((request, response) => {
      known.add(request.socket)
      if (request.url?.includes('watch=true')) response.writeHead(200).flushHeaders()
      else answerJson(response, found)
    })
    const watch = await client.watch(PODS, { resourceVersion: '1', timeoutSeconds: 60, inactivityMs: 100 })
    await get()
    // From now on the network swallows what is sent over the connections that there are.
    server.answer((request, response) => {
      if (!known.has(request.socket)) answerJson(response, found)
    })
    await expect(watch.next()).rejects.toMatchObject({ code: 'ESILENT' })
    expect(await get()).toEqual(found)
  })

  it('keeps fields that it does not know through a read and a write', async () => {
    const slice = {
      metadata: { name: 's', namespace: 'shop' },
      addressType: 'IPv4',
      endpoints: [],
      futureField: { deep: [1] },
    }
    let written = ''
    server.answer((request, response) => {
      request.on('data', (chunk) => {
        written += chunk
      })
      request.on('end', () => answerJson(response, slice))
    })
    await client.update(ENDPOINT_SLICES, await client.get(ENDPOINT_SLICES, { namespace: 'shop', name: 's' }))
    expect(JSON.parse(written)).toEqual({
      ...slice,
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
    })
    expect(server.requests[1]).toBe('PUT /apis/discovery.k8s.io/v1/namespaces/shop/endpointslices/s')
  })

  it('asks for the metadata alone of what it reads and writes where that suffices', async () => {
    const accepted: (string | undefined)[] = []
    const slice = { metadata: { name: 's', namespace: 'shop' }, addressType: 'IPv4', endpoints: [] }
    server.answer((request, response) => {
      accepted.push(request.headers.accept)
      answerJson(response, { metadata: { name: 's', resourceVersion: '8' } })
    })
    const options = { metadataOnly: true }
    const ref = { namespace: 'shop', name: 's' }
    const answers = [
      await client.get(ENDPOINT_SLICES, ref, options),
      await client.create(ENDPOINT_SLICES, slice, options),
      await client.update(ENDPOINT_SLICES, slice, options),
      await client.patch(ENDPOINT_SLICES, ref, { metadata: { labels: { a: 'b' } } }, options),
    ]
    expect(answers.map(({ metadata }) => metadata?.resourceVersion)).toEqual(['8', '8', '8', '8'])
    const metadata = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'
    expect(accepted).toEqual([metadata, metadata, metadata, metadata])
    await client.update(ENDPOINT_SLICES, slice)
    expect(accepted.at(-1)).toBe('application/json')
  })

  it('reads what is not older than a version from the cache, and the newest otherwise', async () => {
    server.answer((_request, response) => answerJson(response, { metadata: { name: 'cart' } }))
    await client.get(SERVICES, { namespace: 'shop', name: 'cart' }, { notOlderThan: '7' })
    await client.get(SERVICES, { namespace: 'shop', name: 'cart' })
    expect(server.requests).toEqual([
      'GET /api/v1/namespaces/shop/services/cart?resourceVersion=7',
      'GET /api/v1/namespaces/shop/services/cart',
    ])
  })

  it('says of what media type a body is and how long, and nothing of one where there is none', async () => {
    const reported: unknown[] = []
    server.answer(({ headers }, response) => {
      reported.push([headers['content-type'], headers['content-length'], headers.accept])
      answerJson(response, { metadata: ref })
    })
    const ref = { namespace: 'shop', name: 'größe' }
    await client.get(SERVICES, ref)
    await client.create(SERVICES, { metadata: ref, spec: {} })
    await client.patch(SERVICES, ref, { metadata: { labels: { size: 'größe' } } })
    expect(reported).toEqual([
      [undefined, undefined, 'application/json'],
      ['application/json', '95', 'application/json'],
      ['application/merge-patch+json', '42', 'application/json'],
    ])
    expect(server.requests.map((request) => request.split('?')[0])).toEqual([
      'GET /api/v1/namespaces/shop/services/gr%C3%B6%C3%9Fe',
      'POST /api/v1/namespaces/shop/services',
      'PATCH /api/v1/namespaces/shop/services/gr%C3%B6%C3%9Fe',
    ])
  })

  it('escapes what goes into a path', async () => {
    const ref = { namespace: 'a b', name: '..x?y' }
    server.answer((_request, response) => answerJson(response, { metadata: ref }))
    await client.get(SERVICES, ref)
    expect(server.requests).toEqual(['GET /api/v1/namespaces/a%20b/services/..x%3Fy'])
  })

  describe('takes answers that are compressed', () => {
    const found = { metadata: { name: 'cart' } }
    const answerGzip = (bytes: Buffer) =>
      server.answer((request, response) => {
        expect(request.headers['accept-encoding']).toBe('gzip')
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes)
      })
    const get = () => client.get(SERVICES, { namespace: 'shop', name: 'cart' })

    it('and inflates them', async () => {
      answerGzip(gzipSync(JSON.stringify(found)))
      expect(await get()).toEqual(found)
    })

    it.each([
      ['are cut short', (whole: Buffer) => whole.subarray(0, -9), 'Z_BUF_ERROR'],
      ['are not gzip', () => Buffer.from('{"metadata":{}}'), 'Z_DATA_ERROR'],
    ])('but none that %s', async (_what, spoil, code) => {
      answerGzip(spoil(gzipSync(JSON.stringify(found))))
      await expect(get()).rejects.toMatchObject({ name: 'ConnectionError', code })
    })

    it('but none that grow beyond all bounds', async () => {
      // Members that follow each other count as one text.
      const member = gzipSync(Buffer.alloc(2 ** 24, ' '))
      answerGzip(Buffer.concat([...Array.from({ length: 2 ** 4 }, () => member), gzipSync(' ')]))
      await expect(get()).rejects.toMatchObject({ name: 'ConnectionError', code: 'ERR_BUFFER_TOO_LARGE' })
    })

    it('and asks for none of a watch, whose events must not wait for more', async () => {
      let encoding: unknown
      server.answer((request, response) => {
        encoding = request.headers['accept-encoding']
        response.writeHead(200).end()
      })
      const watch = await client.watch(PODS, { resourceVersion: '1', timeoutSeconds: 1, inactivityMs: 1000 })
      await watch.next()
      expect(encoding).toBe('identity')
    })
  })

  it('sends the preconditions of a deletion', async () => {
    let body = ''
    server.answer((request, response) => {
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => answerJson(response, status(200, '', '')))
    })
    await client.delete(
      ENDPOINT_SLICES,
      { namespace: 'shop', name: 's' },
      { preconditions: { uid: 'u', resourceVersion: '7' } },
    )
    expect(JSON.parse(body)).toMatchObject({
      kind: 'DeleteOptions',
      preconditions: { uid: 'u', resourceVersion: '7' },
    })
  })
})
