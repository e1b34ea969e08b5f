import { Registry } from 'prom-client'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Change, ClusterHistory } from '../../../shared/changes/index.ts'
import { type ApiObject, ConnectionError, type WatchHandler } from '../../../shared/kubernetes/index.ts'
import { createLogger, createRelayMetrics } from '../../../shared/telemetry/index.ts'
import { createClusterOutage } from './cluster-outage.ts'
import { ClusterWatches } from './cluster-watches.ts'

const refused = new ConnectionError('failed to watch', 'ECONNREFUSED')
const key = (service: string): Change => ({ cluster: 'a', namespace: 'shop', service })
const named = (name: string): ApiObject => ({ metadata: { name } })

describe('the handler of a watch', () => {
  let clock: number
  let reported: string[]
  let lines: string[]
  let registry: Registry
  let watches: ClusterWatches
  let handler: WatchHandler<ApiObject>

  beforeEach(() => {
    clock = 0
    reported = []
    lines = []
    registry = new Registry()
    const now = () => clock
    const metrics = createRelayMetrics(registry)
    const logger = createLogger({ write: (line) => lines.push(JSON.parse(line).msg) })
    const changes = (verb: string) => (object: ApiObject) => {
      const name = object.metadata?.name ?? ''
      if (name === 'broken') throw new Error('it cannot be read')
      return [key(`${verb} ${name}`)]
    }
    const objects = {
      listing: () => void reported.push('listing'),
      put: changes('put'),
      remove: changes('remove'),
      listed: (version?: string) => [key(`gone at ${version}`)],
      bookmark: (version: string) => void reported.push(`bookmark ${version}`),
    }
    watches = new ClusterWatches({
      cluster: 'a',
      telemetry: { logger, metrics },
      outage: createClusterOutage({
        onLong: () => void reported.push('long'),
        onOver: () => void reported.push('over'),
        silenceMs: 80_000,
        now,
      }),
      history: new ClusterHistory(),
      now,
    })
    handler = watches.handlerOf('pods', objects, {
      size: () => 3,
      changed: (changed) => void reported.push(...changed.map(({ service }) => service)),
      listed: () => void reported.push('listed'),
    })
  })
  const counted = async (name: string): Promise<number> => {
    const text = await registry.getSingleMetricAsString(`sliceflow_relay_${name}_total`)
    return Number(/\} (\d+)$/m.exec(text)?.[1] ?? 0)
  }

  it('passes watch events to the index, and reports their changes, in order', async () => {
    handler.listing()
    handler.object(named('a'))
    handler.listed('7')
    handler.changed(named('b'))
    handler.deleted(named('c'))
    handler.bookmark?.('9')
    expect(reported).toEqual(['listing', 'put a', 'gone at 7', 'listed', 'put b', 'remove c', 'bookmark 9'])
    expect(await counted('events')).toBe(2)
  })

  it('passes over an object that the index cannot take in, of a list or not, and goes on', () => {
    handler.object(named('broken'))
    handler.changed(named('broken'))
    handler.deleted(named('broken'))
    handler.changed(named('b'))
    expect(reported).toEqual(['put b'])
    expect(lines).toEqual(Array(3).fill('failed to process an object of the cluster; skipping it'))
  })

  it.each<[string, () => void]>([
    ['a list', () => handler.listed('7')],
    ['a watch', () => handler.opened?.()],
    ['bytes', () => handler.received?.()],
    ['a bookmark', () => handler.bookmark?.('7')],
    ['a failure', () => handler.failed?.(refused, 100)],
    ['a recovery', () => handler.recovered?.()],
  ])('takes %s for a sign of life, each time', (_, happens) => {
    for (let time = 0; time < 3; time++) {
      clock += 200_000
      expect(watches.health()).toEqual([{ kind: 'pods', idleMs: 200_000 }])
      happens()
      expect(watches.health()).toEqual([{ kind: 'pods', idleMs: 0 }])
    }
  })

  it('reports every trouble, and every end of it, to status, log and outage alike', async () => {
    for (let time = 0; time < 2; time++) {
      handler.failed?.(refused, 100)
      expect(watches.readings()[0]?.failing).toBe(true)
      clock += 31_000
      handler.failed?.(refused, 100)
      handler.recovered?.()
      expect(watches.readings()[0]?.failing).toBe(false)
    }
    expect(reported).toEqual(['long', 'over', 'long', 'over'])
    expect(lines).toEqual([
      'cannot follow the cluster; its slices stay as they are',
      'watching the cluster again',
      'cannot follow the cluster; its slices stay as they are',
      'watching the cluster again',
    ])
    expect(await counted('watch_failures')).toBe(4)
  })

  it('counts what is no object', async () => {
    handler.notObject?.(null)
    handler.notObject?.(7)
    expect(await counted('malformed_objects')).toBe(2)
  })

  it('reports when bytes and bookmarks came last, once there were some', () => {
    expect(watches.readings()).toEqual([{ kind: 'pods', failing: false, objects: 3 }])
    handler.received?.()
    clock = 4_000
    handler.bookmark?.('7')
    clock = 6_000
    expect(watches.readings()).toMatchObject([{ secondsSinceLastByte: 6, secondsSinceLastBookmark: 2 }])
  })

  it('counts lists and watches, all but the first', async () => {
    for (let time = 0; time < 3; time++) {
      handler.listed('7')
      handler.opened?.()
    }
    expect([await counted('relists'), await counted('reconnects')]).toEqual([2, 2])
  })
})
