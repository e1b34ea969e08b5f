import { setTimeout as setTimeoutPromise } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collectGarbage } from '../../test/support/heap.ts'
import { answerJson, type ScriptedServer, startScriptedServer } from '../../test/support/scripted-server.ts'
import type { Pod } from '../endpointslice/index.ts'
import {
  type ApiClient,
  ConflictError,
  ConnectionError,
  type Credentials,
  createApiClient,
  ENDPOINT_SLICES,
  ExpiredError,
  ForbiddenError,
  NotFoundError,
  PODS,
  SERVICES,
  TooLargeVersionError,
  UnauthorizedError,
} from './index.ts'

const status = (code: number, reason: string, message: string, more: object = {}): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code,
  reason,
  message,
  ...more,
})

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
      answerJson(response, { metadata: { resourceVersion: '8' } })
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

  it('escapes what goes into a path', async () => {
    server.answer((_request, response) => answerJson(response, {}))
    await client.get(SERVICES, { namespace: 'a/b', name: '../x?y' })
    expect(server.requests).toEqual(['GET /api/v1/namespaces/a%2Fb/services/..%2Fx%3Fy'])
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
      answerGzip(gzipSync(Buffer.alloc(2 ** 28 + 1, ' ')))
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

  describe('when the server refuses', () => {
    it.each([
      [403, 'Forbidden', ForbiddenError, false],
      [404, 'NotFound', NotFoundError, false],
      [409, 'Conflict', ConflictError, true],
      [410, 'Expired', ExpiredError, true],
    ])('throws status %i as a typed error', async (code, reason, type, retryable) => {
      server.answer((_request, response) => answerJson(response, status(code, reason, 'no, because'), code))
      const error = await client
        .get(SERVICES, { namespace: 'shop', name: 'cart' })
        .catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(type)
      expect(error).toMatchObject({ code, reason, retryable })
      expect((error as Error).message).toMatch(
        /^failed to get Service shop\/cart of cluster scripted: no, because/,
      )
    })

    it('says what to do about a missing permission', async () => {
      const message =
        'pods is forbidden: User "u" cannot list resource "pods" in API group "" at the cluster scope'
      server.answer((_request, response) => answerJson(response, status(403, 'Forbidden', message), 403))
      await expect(client.list(PODS)).rejects.toThrow(
        /cannot list resource "pods".*; grant this verb on this resource/,
      )
    })

    it('tells how long the server asks to wait', async () => {
      server.answer((_request, response) => {
        response
          .writeHead(429, { 'retry-after': '7' })
          .end(JSON.stringify(status(429, 'TooManyRequests', 'slow down')))
      })
      await expect(client.list(PODS)).rejects.toMatchObject({
        code: 429,
        retryAfterSeconds: 7,
        retryable: true,
      })
    })

    it('throws what is not a Status as well', async () => {
      server.answer((_request, response) => response.writeHead(502).end('<html>bad gateway'))
      await expect(client.list(PODS)).rejects.toMatchObject({ code: 502, retryable: true })
    })
  })

  describe('with a token that has expired', () => {
    it('loads the credentials again and repeats the call', async () => {
      server.answer((request, response) => {
        if (request.headers.authorization === 'Bearer second')
          answerJson(response, { metadata: { name: 'cart' } })
        else answerJson(response, status(401, 'Unauthorized', 'Unauthorized'), 401)
      })
      token = 'second'
      client = createApiClient(server.connection)
      token = 'first'
      const first = client.get(SERVICES, { namespace: 'shop', name: 'cart' })
      token = 'second'
      await expect(first).resolves.toMatchObject({ metadata: { name: 'cart' } })
    })

    it('throws when the new one is refused, too, and never tells the token', async () => {
      server.answer((_request, response) =>
        answerJson(response, status(401, 'Unauthorized', 'Unauthorized'), 401),
      )
      const error = await client.list(PODS).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(UnauthorizedError)
      expect(JSON.stringify(error) + String(error)).not.toContain('first')
      expect(server.requests).toHaveLength(2)
    })

    /** A 401, and then an answer that never ends; each comes after so many milliseconds. */
    const refuseOnceAfter = (ms: number): void => {
      server.answer((_request, response) => {
        setTimeout(() => {
          if (server.requests.length === 1) answerJson(response, status(401, 'Unauthorized', 'no'), 401)
          else response.writeHead(200).write('{"metadata":')
        }, ms)
      })
    }

    it('has one time for both tries', async () => {
      refuseOnceAfter(350)
      const hasty = createApiClient(server.connection, { timeoutMs: 500 })
      const began = performance.now()
      await expect(hasty.list(PODS)).rejects.toMatchObject({ code: 'ETIMEDOUT' })
      const tookMs = performance.now() - began
      expect(tookMs).toBeGreaterThan(450)
      expect(tookMs).toBeLessThan(700)
      hasty.close()
    })

    it('does not begin a second try when its time is over, or its caller gave up', async () => {
      refuseOnceAfter(10)
      let loads = 0
      const credentials = async (): Promise<Credentials> => {
        if (++loads > 1) await setTimeoutPromise(150)
        return server.connection.credentials()
      }
      const slow = createApiClient({ ...server.connection, credentials }, { timeoutMs: 100 })
      await expect(slow.list(PODS)).rejects.toMatchObject({ code: 'ETIMEDOUT' })
      loads = 0
      server.requests.length = 0
      const other = createApiClient({ ...server.connection, credentials })
      await expect(other.list(PODS, { signal: AbortSignal.timeout(100) })).rejects.toThrow(/aborted/)
      await setTimeoutPromise(100)
      expect(server.requests).toHaveLength(1)
      slow.close()
      other.close()
    })
  })

  describe('when the connection fails', () => {
    it('says where nothing listens', async () => {
      await server.close()
      const call = client.list(PODS)
      await expect(call).rejects.toBeInstanceOf(ConnectionError)
      await expect(call).rejects.toThrow(/ECONNREFUSED at 127\.0\.0\.1:\d+: nothing listens there/)
      server = await startScriptedServer()
    })

    it('refuses a server whose certificate another authority signed', async () => {
      const other = await startScriptedServer()
      const stranger = createApiClient({ ...other.connection, credentials: server.connection.credentials })
      await expect(stranger.list(PODS)).rejects.toThrow(
        /certificate is not signed by the kubeconfig’s certificate-authority/,
      )
      stranger.close()
      await other.close()
    })

    it('gives up a call that has no answer in time', async () => {
      server.answer(() => undefined)
      const hasty = createApiClient(server.connection, { timeoutMs: 50 })
      await expect(hasty.list(PODS)).rejects.toMatchObject({ code: 'ETIMEDOUT' })
      hasty.close()
    })

    it('gives up an answer that does not end in time', async () => {
      server.answer((_request, response) => response.writeHead(200).write('{"items":['))
      const hasty = createApiClient(server.connection, { timeoutMs: 50 })
      await expect(hasty.list(PODS)).rejects.toMatchObject({ code: 'ETIMEDOUT' })
      hasty.close()
    })

    it('repeats a call whose idle connection the server had closed', async () => {
      server.answer((_request, response) => answerJson(response, { metadata: { name: 'cart' } }))
      await client.get(SERVICES, { namespace: 'shop', name: 'cart' })
      let cut = false
      server.answer((request, response) => {
        if (cut) return answerJson(response, { metadata: { name: 'till' } })
        cut = true
        request.socket.destroy()
      })
      await expect(client.get(SERVICES, { namespace: 'shop', name: 'till' })).resolves.toMatchObject({
        metadata: { name: 'till' },
      })
    })

    it('throws when the connection breaks within an answer, and does not repeat that call', async () => {
      server.answer((_request, response) => answerJson(response, { metadata: { name: 'cart' } }))
      await client.get(SERVICES, { namespace: 'shop', name: 'cart' })
      server.answer((request, response) =>
        response.writeHead(200).write('{"metadata":', () => request.socket.destroy()),
      )
      const call = client.get(SERVICES, { namespace: 'shop', name: 'till' })
      await expect(call).rejects.toMatchObject({ name: 'ConnectionError', code: 'ECONNRESET' })
      expect(server.requests).toHaveLength(2)
    })

    it('throws the reason of an abort within an answer', async () => {
      const abort = new AbortController()
      server.answer((_request, response) =>
        response.writeHead(200).write('{"metadata":', () => abort.abort(new Error('enough'))),
      )
      await expect(client.list(PODS, { signal: abort.signal })).rejects.toThrow('enough')
    })

    it('calls over a new connection after an answer that did not end', async () => {
      const known = new Set<unknown>()
      const found = { metadata: { name: 'cart' } }
      // Enough for an answer on a busy machine.
      const hasty = createApiClient(server.connection, { timeoutMs: 1_000 })
      const get = () => hasty.get(SERVICES, { namespace: 'shop', name: 'cart' })
      server.answer((request, response) => {
        known.add(request.socket)
        if (known.size > 1) answerJson(response, found)
        else setTimeout(() => answerJson(response, found), 50)
      })
      await Promise.all([get(), get()])
      // From now on the network swallows what is sent over the connections that there are.
      server.answer((request, response) => {
        if (known.has(request.socket)) response.writeHead(200).write('{"metadata":')
        else answerJson(response, found)
      })
      await expect(get()).rejects.toMatchObject({ code: 'ETIMEDOUT' })
      expect(await get()).toEqual(found)
      hasty.close()
    })

    it('throws the reason of an abort', async () => {
      server.answer(() => undefined)
      const abort = new AbortController()
      const call = client.list(PODS, { signal: abort.signal })
      abort.abort(new Error('enough'))
      await expect(call).rejects.toThrow('enough')
    })
  })

  describe('listing', () => {
    const page = (names: string[], next?: string): object => ({
      metadata: { resourceVersion: '9', ...(next && { continue: next }) },
      items: names.map((name) => ({ metadata: { name } })),
    })

    it('gathers every page', async () => {
      server.answer((request, response) => {
        answerJson(response, request.url?.includes('continue=more') ? page(['c']) : page(['a', 'b'], 'more'))
      })
      const list = await client.list(PODS, { namespace: 'shop', labelSelector: 'app=web', limit: 2 })
      expect(list.items.map(({ metadata }) => metadata?.name)).toEqual(['a', 'b', 'c'])
      expect(list.metadata.resourceVersion).toBe('9')
      expect(server.requests).toEqual([
        'GET /api/v1/namespaces/shop/pods?limit=2&labelSelector=app%3Dweb',
        'GET /api/v1/namespaces/shop/pods?limit=2&continue=more&labelSelector=app%3Dweb',
      ])
    })

    it('asks for a list that is not older than a version in one page, which the cache can answer', async () => {
      server.answer((_request, response) => answerJson(response, page(['a'])))
      await client.list(PODS, { namespace: 'shop', notOlderThan: '7', limit: 2 })
      expect(server.requests).toEqual([
        'GET /api/v1/namespaces/shop/pods?resourceVersion=7&resourceVersionMatch=NotOlderThan',
      ])
    })

    it('tells a version that the server has not reached from other timeouts', async () => {
      const details = { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 }
      const texts = {
        7: { ...status(504, 'Timeout', 'too large'), details },
        8: status(504, 'Timeout', 'late'),
      }
      server.answer((request, response) =>
        answerJson(response, texts[request.url?.includes('resourceVersion=7') ? 7 : 8], 504),
      )
      await expect(client.list(PODS, { notOlderThan: '7' })).rejects.toBeInstanceOf(TooLargeVersionError)
      await expect(client.list(PODS, { notOlderThan: '8' })).rejects.not.toBeInstanceOf(TooLargeVersionError)
    })

    describe('without a limit', () => {
      /** A list of `total` Pods with `characters` in each, cut as the client asks for. */
      const serve = (total: number, characters: number) => {
        server.answer((request, response) => {
          const query = new URL(request.url ?? '', 'https://server').searchParams
          const from = Number(query.get('continue'))
          const to = Math.min(total, from + Number(query.get('limit')))
          const note = '.'.repeat(characters)
          const items = Array.from({ length: to - from }, (_, index) => ({
            metadata: { name: `pod-${from + index}`, annotations: { note } },
          }))
          const next = to < total ? { continue: String(to) } : {}
          answerJson(response, { metadata: { resourceVersion: '9', ...next }, items })
        })
      }
      /** The same, compressed as API servers do, with these characters in each. */
      const serveSizes = (sizes: readonly number[], isCompressed: boolean) => {
        const sent: number[] = []
        server.answer((request, response) => {
          const query = new URL(request.url ?? '', 'https://server').searchParams
          const from = Number(query.get('continue'))
          const to = Math.min(sizes.length, from + Number(query.get('limit') ?? sizes.length))
          const items = sizes.slice(from, to).map((characters, index) => ({
            metadata: { name: `object-${from + index}`, annotations: { note: '.'.repeat(characters) } },
          }))
          const next = to < sizes.length ? { continue: String(to) } : {}
          const text = JSON.stringify({ metadata: { resourceVersion: '9', ...next }, items })
          sent.push(text.length)
          if (isCompressed)
            response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text, { level: 1 }))
          else response.end(text)
        })
        return sent
      }
      const names = (items: readonly { metadata?: { name?: string } }[]) =>
        items.map(({ metadata }) => metadata?.name)
      const limits = () =>
        server.requests.splice(0).map((line) => Number(new URL(line, 'https://s').searchParams.get('limit')))

      it('asks for few objects first and then for as many as make about 2 MB', async () => {
        serve(400, 10_000)
        const { items } = await client.list(PODS)
        expect(items).toHaveLength(400)
        const [first, second, third, ...more] = limits()
        expect([first, more]).toEqual([100, []])
        expect(second).toBeGreaterThan(190)
        expect(second).toBeLessThan(200)
        expect(third).toBe(second)
      })

      it('remembers the size of the objects of a kind, not that of others', async () => {
        serve(90, 20_000)
        await client.list(PODS)
        await client.list(PODS, { namespace: 'shop' })
        await client.list(PODS, { metadataOnly: true })
        await client.list(SERVICES)
        expect(limits()).toEqual([100, 99, 100, 100])
      })

      it.each([true, false])(
        'reads no page above 8 MB that can be smaller (compressed: %s)',
        async (isCompressed) => {
          // As a tenant can have them: small at first, then as large as annotations may be.
          const sizes = Array.from({ length: 400 }, (_, index) => (index < 300 ? 10 : 262_000))
          const sent = serveSizes(sizes, isCompressed)
          const { items } = await client.list(SERVICES, {
            select: ({ metadata }) => ({ metadata: { name: metadata?.name } }),
          })
          expect(names(items)).toEqual(sizes.map((_, index) => `object-${index}`))
          const refused = sent.filter((bytes) => bytes > 8_000_000)
          expect(refused.length).toBeLessThan(4)
          expect(limits().slice(-12)).toEqual(Array.from({ length: 12 }, () => 7))
        },
      )

      it('reads a single object of any size that servers store', async () => {
        serveSizes([9_000_000, 9_000_000], true)
        expect((await client.list(SERVICES)).items).toHaveLength(2)
        expect(limits()).toEqual([100, 12, 1, 1])
      })

      it('takes pages of the newest data for a cached list that is above 8 MB', async () => {
        serveSizes([5_000_000, 5_000_000], true)
        expect((await client.list(PODS, { notOlderThan: '7' })).items).toHaveLength(2)
        expect(server.requests[0]).toContain('resourceVersionMatch=NotOlderThan')
        expect(limits().slice(1)).toEqual([100, 12, 1, 1])
      })

      it('tells its guard of no failure where a page is too large', async () => {
        const failures: unknown[] = []
        const guarded = createApiClient(server.connection, {
          guard: async (_call, send) => {
            try {
              return await send()
            } catch (error) {
              failures.push(error)
              throw error
            }
          },
        })
        serveSizes([5_000_000, 5_000_000], false)
        expect((await guarded.list(PODS)).items).toHaveLength(2)
        expect(failures).toEqual([])
        guarded.close()
      })

      it('asks for one object at least, and for up to 5,000, twice as many from page to page', async () => {
        serve(1, 5_000_000)
        await client.list(PODS)
        await client.list(PODS)
        serve(20_000, 0)
        await client.list(SERVICES)
        expect(limits()).toEqual([100, 1, 100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000])
      })
    })

    it('holds no whole object of a page any more while it waits for the next one', async () => {
      const whole: WeakRef<Pod>[] = []
      const alive: number[] = []
      server.answer((request, response) => {
        const number = Number(new URL(request.url ?? '', 'https://server').searchParams.get('continue'))
        collectGarbage()
        alive.push(whole.filter((pod) => pod.deref() !== undefined).length)
        answerJson(
          response,
          page([`a-${number}`, `b-${number}`], number < 3 ? String(number + 1) : undefined),
        )
      })
      const select = (pod: Pod): Pod => {
        whole.push(new WeakRef(pod))
        return { metadata: { name: pod.metadata?.name } }
      }
      const { items } = await client.list(PODS, { select })
      expect(items).toHaveLength(8)
      expect(alive).toEqual([0, 0, 0, 0])
    })

    it('waits before each page but the first, where the caller asks for that', async () => {
      server.answer((request, response) => {
        const number = Number(new URL(request.url ?? '', 'https://server').searchParams.get('continue'))
        answerJson(response, page([`a-${number}`], number < 2 ? String(number + 1) : undefined))
      })
      const requests: number[] = []
      const beforeMore = async (): Promise<void> => void requests.push(server.requests.length)
      await client.list(PODS, { beforeMore })
      expect(requests).toEqual([1, 2])
    })

    it('keeps what is selected of each object, also of the later pages and after a beginning anew', async () => {
      let expired = false
      server.answer((request, response) => {
        const isLater = request.url?.includes('continue=') ?? false
        if (isLater && !expired) {
          expired = true
          answerJson(response, status(410, 'Expired', 'too old'), 410)
        } else answerJson(response, isLater ? page(['c']) : page(['a', 'b'], 'more'))
      })
      const select = ({ metadata }: Pod): Pod => ({ metadata: { uid: `of ${metadata?.name}` } })
      const { items } = await client.list(PODS, { select })
      expect(items).toEqual(['a', 'b', 'c'].map((name) => ({ metadata: { uid: `of ${name}` } })))
    })

    it('begins again when the snapshot expired between two pages', async () => {
      let expired = false
      server.answer((request, response) => {
        if (!request.url?.includes('continue='))
          return answerJson(response, page(expired ? ['x'] : ['a'], expired ? undefined : 'more'))
        expired = true
        answerJson(response, status(410, 'Expired', 'too old'), 410)
      })
      const { items } = await client.list(PODS)
      expect(items.map(({ metadata }) => metadata?.name)).toEqual(['x'])
    })

    it('never takes a failed page for an end', async () => {
      server.answer((request, response) => {
        if (request.url?.includes('continue='))
          answerJson(response, status(500, 'InternalError', 'broken'), 500)
        else answerJson(response, page(['a'], 'more'))
      })
      await expect(client.list(PODS)).rejects.toMatchObject({ code: 500 })
    })

    it('never takes something else for an empty list', async () => {
      server.answer((_request, response) => answerJson(response, { kind: 'Status', status: 'Success' }))
      await expect(client.list(PODS)).rejects.toThrow(/not a list/)
    })
  })
})
