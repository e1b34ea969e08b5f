import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answerJson, type ScriptedServer, startScriptedServer } from '../../test/support/scripted-server.ts'
import type { Pod } from '../endpointslice/index.ts'
import { createApiClient, PODS, runWatcher, type WatcherOptions, type WatchHandler } from './index.ts'

const pod = (name: string, resourceVersion: string): Pod => ({ metadata: { name, resourceVersion } })

const event = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`

const expired = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' }

/** Records each call as text. */
function recorder(): WatchHandler<Pod> & { reported: string[] } {
  const reported: string[] = []
  const note = (what: string) => (object: Pod) => void reported.push(`${what} ${object.metadata?.name}`)
  return {
    reported,
    listing: () => void reported.push('listing'),
    object: note('object'),
    listed: () => void reported.push('listed'),
    changed: note('changed'),
    deleted: note('deleted'),
    failed: () => void reported.push('failed'),
    recovered: () => void reported.push('recovered'),
    notObject: (value) => void reported.push(`not an object: ${JSON.stringify(value)}`),
  }
}

describe('a watcher', () => {
  let server: ScriptedServer
  let handler: ReturnType<typeof recorder>
  let stop: AbortController
  let ended: Promise<void>
  let list: { names: string[]; version: string }
  /** Version that a read of one object shows. */
  let newestVersion: string
  /** Number of such reads that fail, and how. */
  let failures: number
  let failureStatus: number
  /** One script a watch connection, in order; the last one stays open. */
  let watches: ((response: ServerResponse, request: IncomingMessage) => void)[]

  beforeEach(async () => {
    server = await startScriptedServer()
    handler = recorder()
    stop = new AbortController()
    list = { names: ['a'], version: '10' }
    newestVersion = '1000'
    failures = 0
    failureStatus = 503
    watches = []
    server.answer((request, response) => {
      const isOneRead = request.url?.includes('limit=1&') || request.url?.endsWith('limit=1')
      if (isOneRead && failures-- > 0) return void response.writeHead(failureStatus).end('{}')
      if (isOneRead) return answerJson(response, { metadata: { resourceVersion: newestVersion }, items: [] })
      if (!request.url?.includes('watch=true')) {
        const items = list.names.map((name) => pod(name, '1'))
        return answerJson(response, { metadata: { resourceVersion: list.version }, items })
      }
      response.writeHead(200).flushHeaders()
      watches.shift()?.(response, request)
    })
  })
  afterEach(async () => {
    stop.abort()
    await ended
    await server.close()
  })

  function start(options: Partial<WatcherOptions<Pod>> = {}): void {
    const client = createApiClient(server.connection)
    const timing = { backoff: { baseMs: 1, capMs: 2 }, ...options.timing }
    ended = runWatcher(client, { resource: PODS, handler, signal: stop.signal, ...options, timing })
  }

  const wentBack = (isCertain: boolean): void => {
    handler.reported.push(`went back, certain ${isCertain}`)
  }
  const reported = (...words: string[]): Promise<void> =>
    expect.poll(() => handler.reported.slice(0, words.length), { timeout: 5000 }).toEqual(words)
  const versionsWatched = (): (string | null)[] =>
    server.requests
      .filter((line) => line.includes('watch=true'))
      .map((line) => new URLSearchParams(line.split('?')[1]).get('resourceVersion'))

  it('lists and watches one namespace alone where it is reported to', async () => {
    start({ selection: { namespace: 'shop', labelSelector: 'app=web' } })
    await reported('listing', 'object a', 'listed')
    await expect.poll(() => server.requests.length).toBeGreaterThan(1)
    for (const request of server.requests)
      expect(request).toMatch(/^GET \/api\/v1\/namespaces\/shop\/pods\?.*labelSelector=app%3Dweb/)
  })

  it('lists, then tells every change from the version of the list on', async () => {
    watches.push((response) => {
      response.write(
        event('ADDED', pod('b', '11')) + event('MODIFIED', pod('a', '12')) + event('DELETED', pod('b', '13')),
      )
    })
    start()
    await reported('listing', 'object a', 'listed', 'changed b', 'changed a', 'deleted b')
    expect(versionsWatched()).toEqual(['10'])
  })

  it('goes on from the last event or bookmark when the server ends the watch', async () => {
    watches.push(
      (response) => response.end(event('ADDED', pod('b', '11'))),
      (response) => response.end(event('BOOKMARK', { metadata: { resourceVersion: '20' } })),
    )
    start()
    await expect.poll(versionsWatched).toEqual(['10', '11', '20'])
    expect(handler.reported).toEqual(['listing', 'object a', 'listed', 'changed b'])
  })

  it('lists again when its version is too old, reported by an event', async () => {
    watches.push((response) => {
      list = { names: ['c'], version: '30' }
      response.end(event('ERROR', expired))
    })
    start()
    await reported('listing', 'object a', 'listed', 'listing', 'object c', 'listed')
    await expect.poll(versionsWatched).toEqual(['10', '30'])
  })

  it('goes on from where it was when the connection breaks, and tells both', async () => {
    watches.push(
      (response) => {
        response.write(event('ADDED', pod('b', '11')))
        setTimeout(() => response.destroy(), 5)
      },
      (response) => response.write(event('ADDED', pod('c', '12'))),
    )
    start()
    await reported('listing', 'object a', 'listed', 'changed b', 'failed', 'recovered', 'changed c')
    expect(versionsWatched()).toEqual(['10', '11'])
  })

  it('misses nothing and lists no further time when its connection breaks a hundred times', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `p${index}`)
    for (const [index, name] of names.entries())
      watches.push((response) => {
        response.write(event('ADDED', pod(name, String(11 + index))), () => response.destroy())
      })
    start()
    const seen = (): string[] => handler.reported.filter((word) => word.startsWith('changed'))
    await expect.poll(seen, { timeout: 15_000 }).toEqual(names.map((name) => `changed ${name}`))
    expect(handler.reported.filter((word) => word === 'listing')).toHaveLength(1)
  })

  it('lists again when a server that was away comes back with an earlier version, as from a backup', async () => {
    watches.push(
      (response) => response.write(event('ADDED', pod('b', '50')), () => response.destroy()),
      (response) => response.write(event('ADDED', pod('c', '12'))),
    )
    newestVersion = '11'
    start()
    const before = ['listing', 'object a', 'listed', 'changed b', 'failed']
    await reported(...before, 'listing', 'object a', 'listed', 'recovered', 'changed c')
    expect(versionsWatched()).toEqual(['10', '10'])
  })

  it('says that the history of a server went back, before it reports the objects of the list', async () => {
    watches.push((response) => response.write(event('ADDED', pod('b', '50')), () => response.destroy()))
    newestVersion = '11'
    start({ handler: { ...handler, wentBack } })
    const before = ['listing', 'object a', 'listed', 'changed b', 'failed']
    await reported(...before, 'listing', 'went back, certain true', 'object a', 'listed', 'recovered')
  })

  it('lists again when a server was away that may have been restored and be past its version by now', async () => {
    watches.push((response) => response.write(event('ADDED', pod('b', '50')), () => response.destroy()))
    failures = 2
    list = { names: ['a'], version: '60' }
    start({ handler: { ...handler, wentBack } })
    const before = ['listing', 'object a', 'listed', 'changed b', 'failed', 'failed', 'failed']
    await reported(...before, 'listing', 'went back, certain false', 'object a', 'listed', 'recovered')
  })

  it('goes on from its version when a server only refuses to be asked for some time', async () => {
    watches.push((response) => response.write(event('ADDED', pod('b', '50')), () => response.destroy()))
    failures = 2
    failureStatus = 429
    list = { names: ['a'], version: '60' }
    start()
    await reported('listing', 'object a', 'listed', 'changed b', 'failed', 'failed', 'failed', 'recovered')
  })

  it('asks a server that was away for its version, and one that only ended a watch for nothing', async () => {
    watches.push(
      (response) => response.end(event('ADDED', pod('b', '11'))),
      (response) => response.write(event('ADDED', pod('c', '12')), () => response.destroy()),
      (response) => response.write(event('ADDED', pod('d', '13'))),
    )
    start()
    await reported(
      'listing',
      'object a',
      'listed',
      'changed b',
      'changed c',
      'failed',
      'recovered',
      'changed d',
    )
    const asked = server.requests.filter((line) => /limit=1(&|$)/.test(line))
    expect(asked).toHaveLength(1)
    expect(versionsWatched()).toEqual(['10', '11', '12'])
  })

  it('lists again when the server cannot read its version', async () => {
    let isRefusing = true
    server.answer((request, response) => {
      if (!request.url?.includes('watch=true'))
        return answerJson(response, { metadata: { resourceVersion: '1' }, items: [] })
      if (!isRefusing) return void response.writeHead(200).flushHeaders()
      isRefusing = false
      answerJson(response, { code: 400, reason: 'BadRequest', message: 'invalid resource version' }, 400)
    })
    start()
    await reported('listing', 'listed', 'failed', 'listing', 'listed', 'recovered')
  })

  it('passes over what is no object, and goes on from the last version that is one', async () => {
    const line = (object: unknown): string => `${JSON.stringify({ type: 'MODIFIED', object })}\n`
    const odd = [null, 7, 'text', []]
    const versions = [{}, 12, '', null].map((resourceVersion) => ({
      metadata: { name: 'c', resourceVersion },
    }))
    watches.push((response) =>
      response.end([event('ADDED', pod('b', '11')), ...[...odd, ...versions].map(line)].join('')),
    )
    start()
    const passedOver = odd.map((value) => `not an object: ${JSON.stringify(value)}`)
    await reported(
      'listing',
      'object a',
      'listed',
      'changed b',
      ...passedOver,
      ...versions.map(() => 'changed c'),
    )
    await expect.poll(versionsWatched).toEqual(['10', '11'])
  })

  it('ends when it is reported to, in the middle of a watch', async () => {
    start()
    await expect.poll(versionsWatched).toHaveLength(1)
    stop.abort()
    await ended
    expect(handler.reported).not.toContain('failed')
  })
})
