import { EventEmitter } from 'node:events'
import { afterEach, expect, it, vi } from 'vitest'
import type { Endpoint } from '../../registry/definition/resource-definition.ts'
import type { Response } from '../exchange.ts'
import type { ListOptions } from '../resource/list-options.ts'
import { EventEncoder } from './encoder.ts'
import { WatchStream } from './watch.ts'

afterEach(() => {
  vi.useRealTimers()
})

const REVISION = 7

/** Returns an empty resource whose objects are shown once `converted` resolves. */
const endpointThatConverts = (converted: Promise<[]>): Endpoint =>
  ({
    definition: { group: 'example.org', version: 'v1', kind: 'Thing' },
    resource: 'things.example.org',
    store: {
      revision: REVISION,
      compacted: 0,
      reached: async () => true,
      records: () => [],
      changesSince: () => [],
      subscribe: () => () => undefined,
      flush: () => true,
    },
    converted: { readRecords: () => converted },
  }) as unknown as Endpoint

class FakeResponse extends EventEmitter {
  readonly written: string[] = []
  readonly writableEnded = false
  readonly writableLength = 0
  statusCode = 0
  setHeader(): void {}
  flushHeaders(): void {}
  write(data: Buffer): void {
    this.written.push(data.toString())
  }
  end(): void {}
}

it('no bookmark comes before the state at the beginning, however long that takes', async () => {
  vi.useFakeTimers()
  const response = new FakeResponse()
  const state = Promise.withResolvers<[]>()
  const stream = new WatchStream(
    {
      endpoint: endpointThatConverts(state.promise),
      namespace: '',
      options: { resourceVersion: '', timeoutSeconds: 600, allowWatchBookmarks: true } as ListOptions,
      encoder: new EventEncoder(),
      format: 'json',
    },
    response as unknown as Response,
  )
  const started = stream.start()
  await vi.advanceTimersByTimeAsync(120_000)
  expect(response.written).toEqual([])
  state.resolve([])
  await started
  await vi.advanceTimersByTimeAsync(61_000)
  const bookmarks = response.written.join('').trim().split('\n')
  expect(bookmarks.map((line) => JSON.parse(line))).toMatchObject([
    { type: 'BOOKMARK', object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } } },
    { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(REVISION) } } },
  ])
  response.emit('close')
})
