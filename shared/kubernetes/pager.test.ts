import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collectGarbage } from '../../test/support/heap.ts'
import { answerJson, type ScriptedServer, startScriptedServer } from '../../test/support/scripted-server.ts'
import type { Pod } from '../endpointslice/index.ts'
import { type ApiClient, createApiClient, PODS, SERVICES, TooLargeVersionError } from './index.ts'
import { status } from './status.fixtures.ts'

describe('a pager', () => {
  let server: ScriptedServer
  let client: ApiClient

  beforeEach(async () => {
    server = await startScriptedServer()
    client = createApiClient(server.connection)
  })
  afterEach(async () => {
    client.close()
    await server.close()
  })

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

  it.each([1, 3])('fails on %i pages that name one another in a circle, which has no end', async (pages) => {
    let sent = 0
    server.answer((_request, response) => answerJson(response, page(['a'], `page-${sent++ % pages}`)))
    await expect(client.list(PODS)).rejects.toThrow(
      'failed to list Pods of cluster scripted: the server sent the same continue token twice',
    )
    expect(server.requests).toHaveLength(pages + 1)
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
    /** Serves a list of `total` Pods with `characters` in each, cut as the client asks for. */
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
    /** Serves the same with these characters in each, compressed as API servers do if wanted. */
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
        const sizes = Array.from({ length: 350 }, (_, index) => (index < 300 ? 10 : 262_000))
        const sent = serveSizes(sizes, isCompressed)
        const { items } = await client.list(SERVICES, {
          select: ({ metadata }) => ({ metadata: { name: metadata?.name } }),
        })
        expect(names(items)).toEqual(sizes.map((_, index) => `object-${index}`))
        const refused = sent.filter((bytes) => bytes > 8_000_000)
        expect(refused.length).toBeLessThan(4)
        expect(limits().slice(-5)).toEqual([7, 7, 7, 7, 7])
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
        limiter: async (_call, send) => {
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
  })

  it('holds no whole object of a page any more while it waits for the next one', async () => {
    const whole: WeakRef<Pod>[] = []
    const alive: number[] = []
    server.answer((request, response) => {
      const number = Number(new URL(request.url ?? '', 'https://server').searchParams.get('continue'))
      collectGarbage()
      alive.push(whole.filter((pod) => pod.deref() !== undefined).length)
      answerJson(response, page([`a-${number}`, `b-${number}`], number < 3 ? String(number + 1) : undefined))
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

  it('reads no page before the turn of its caller', async () => {
    server.answer((request, response) => {
      const isLater = request.url?.includes('continue=') ?? false
      answerJson(response, isLater ? page(['b']) : page(['a'], 'more'))
    })
    const turns: (() => void)[] = []
    const nextTurn = (): Promise<void> => new Promise((resolve) => turns.push(resolve))
    const read: string[] = []
    const select = (pod: Pod): Pod => {
      read.push(pod.metadata?.name ?? '')
      return pod
    }
    const listed = client.list(PODS, { nextTurn, select })
    await expect.poll(() => turns).toHaveLength(1)
    expect([read, server.requests.length]).toEqual([[], 1])
    turns[0]?.()
    await expect.poll(() => turns).toHaveLength(2)
    expect(read).toEqual(['a'])
    turns[1]?.()
    await listed
    expect(read).toEqual(['a', 'b'])
  })

  it('keeps what is selected of each object, also of the later pages and after a beginning again', async () => {
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

  it('never takes a failed page for an end', async () => {
    server.answer((request, response) => {
      if (request.url?.includes('continue='))
        answerJson(response, status(500, 'InternalError', 'broken'), 500)
      else answerJson(response, page(['a'], 'more'))
    })
    await expect(client.list(PODS)).rejects.toMatchObject({ code: 500 })
  })

  it('never takes something else for an empty list', async () => {
    for (const answer of [
      { kind: 'Status', status: 'Success' },
      null,
      { metadata: null, items: [] },
      { metadata: { resourceVersion: '' }, items: [] },
    ]) {
      server.answer((_request, response) => answerJson(response, answer))
      await expect(client.list(PODS)).rejects.toThrow(/not a list/)
    }
  })

  it('never takes a list with an item that is no object for a whole one', async () => {
    server.answer((_request, response) => answerJson(response, { ...page(['a']), items: [{}, null] }))
    await expect(client.list(PODS)).rejects.toMatchObject({ code: 'EBADMESSAGE' })
    await expect(client.pages(PODS).next()).rejects.toThrow('an item of the list is not an object')
    const { value } = await client.pages(PODS, { passesOddItems: true }).next()
    expect(value.items).toEqual([{}, null])
  })
})
