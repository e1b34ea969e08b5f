import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answerJson, type ScriptedServer, startScriptedServer } from '../../test/support/scripted-server.ts'
import type { Pod } from '../endpointslice/index.ts'
import { createApiClient, PODS, runWatcher, type WatchHandler } from './index.ts'

const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`
const pod = (name: string): object => ({ metadata: { name, resourceVersion: '1' } })

describe('what a watcher tells its handler', () => {
  let server: ScriptedServer
  let stop: AbortController
  let ended: Promise<void>
  let reported: string[]
  /** Versions at which each watch is opened; the last one stays open. */
  let watches: (string | undefined)[]
  /** Number of lists that are refused. */
  let refusals: number

  beforeEach(async () => {
    reported = []
    watches = []
    refusals = 0
    stop = new AbortController()
    server = await startScriptedServer()
    server.answer((request, response) => {
      if (request.url?.includes('watch=true')) {
        const text = watches.shift()
        response.writeHead(200).flushHeaders()
        if (text !== undefined) response.write(text, () => watches.length > 0 && response.destroy())
        return
      }
      if (refusals-- > 0) return answerJson(response, { code: 403, reason: 'Forbidden', message: 'no' }, 403)
      const items = [null, pod('a'), 7, 'text', []]
      answerJson(response, { metadata: { resourceVersion: '1' }, items })
    })
  })
  afterEach(async () => {
    stop.abort()
    await ended
    await server.close()
  })

  const note =
    (what: string) =>
    ({ metadata }: Pod): void =>
      void reported.push(`${what} ${metadata?.name}`)
  const required: WatchHandler<Pod> = {
    listing: () => void reported.push('listing'),
    object: note('object'),
    listed: () => void reported.push('listed'),
    changed: note('changed'),
    deleted: note('deleted'),
  }
  function start(more: Partial<WatchHandler<Pod>> = {}): void {
    const handler = { ...required, ...more }
    const timing = { backoff: { baseMs: 1, capMs: 2 } }
    const client = createApiClient(server.connection)
    ended = runWatcher<Pod>(client, { resource: PODS, handler, signal: stop.signal, timing })
  }
  const until = (word: string): Promise<void> => expect.poll(() => reported).toContain(word)

  it('is the objects, where it listens to nothing else, whatever else there is', async () => {
    refusals = 2
    watches = [
      line('ADDED', 7) + line('ADDED', pod('b')),
      line('BOOKMARK', pod('')) + line('DELETED', pod('b')),
    ]
    start()
    await until('deleted b')
    expect(reported).toEqual([
      ...['listing', 'listing', 'listing', 'object a', 'listed'],
      ...['changed b', 'deleted b'],
    ])
  })

  it('passes over what is no object in a list', async () => {
    const odd: unknown[] = []
    start({ notObject: (value) => void odd.push(value) })
    await until('listed')
    expect([reported, odd]).toEqual([
      ['listing', 'object a', 'listed'],
      [null, 7, 'text', []],
    ])
  })

  it('is a recovery as soon as a list is whole, before a watch is tried', async () => {
    refusals = 1
    start({
      failed: () => void reported.push('failed'),
      recovered: () => void reported.push('recovered'),
      opened: () => void reported.push('opened'),
    })
    await until('opened')
    expect(reported).toEqual(['listing', 'failed', 'listing', 'object a', 'listed', 'recovered', 'opened'])
  })

  it('is each sign of life, of a list and of a watch, and how far a bookmark goes', async () => {
    watches = [line('BOOKMARK', { metadata: { resourceVersion: '7' } }) + line('BOOKMARK', {})]
    start({
      received: () => void reported.push('received'),
      opened: () => void reported.push('opened'),
      bookmark: (version) => void reported.push(`bookmark ${version}`),
    })
    await until('bookmark ')
    expect(reported).toEqual([
      ...['listing', 'received', 'object a', 'listed'],
      ...['opened', 'received', 'bookmark 7', 'bookmark '],
    ])
  })
})
