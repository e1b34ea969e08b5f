import { describe, expect, it } from 'vitest'
import type { ViewEvent, ViewObject } from '../../../shared/views/index.ts'
import { type Delivery, SinkError } from '../sink.ts'
import type { EventBus } from './event-bus.ts'
import { createEventBusSink } from './event-bus-sink.ts'
import { createMemoryEventBus } from './memory-event-bus.fixtures.ts'
import type { ViewEventDetail } from './view-event.ts'

const view = (name: string, v: string): ViewObject => ({
  apiVersion: 'op.view.dcontroller.io/v1alpha1',
  kind: 'EndpointView',
  metadata: { name, namespace: 'shop' },
  v,
})
const added = (name: string, v = ''): ViewEvent => ({ type: 'Added', object: view(name, v) })
const updated = (name: string, old: string, v: string): ViewEvent => ({
  type: 'Updated',
  object: view(name, v),
  old: view(name, old),
})
const delivery = (...deltas: ViewEvent[]): Delivery => ({
  key: { cluster: 'a', namespace: 'shop', service: 'cart' },
  operator: 'op',
  version: 7,
  deltas,
  views: [],
  signal: new AbortController().signal,
})
const NOW = new Date('2026-01-02T03:04:05Z')

/** Returns what the sink puts on a bus for these deltas. */
async function detailsOf(...deltas: ViewEvent[]): Promise<ViewEventDetail[]> {
  const bus = createMemoryEventBus()
  await createEventBusSink({ bus, now: () => NOW }).deliver(delivery(...deltas))
  return bus.events.map(({ detail }) => JSON.parse(detail))
}

describe('the sink of an event bus', () => {
  it('puts one event a delta, with the object before and after', async () => {
    const bus = createMemoryEventBus()
    const old = view('b', 'old')
    await createEventBusSink({ bus, now: () => NOW }).deliver(
      delivery({ type: 'Deleted', object: old, old }, updated('a', '1', '2')),
    )
    expect(bus.events.map(({ detail, ...event }) => event)).toEqual(
      ['View Object Deleted', 'View Object Updated'].map((detailType) => ({
        source: 'sliceflow',
        detailType,
        time: NOW,
      })),
    )
    const common = { v: 1, cluster: 'a', namespace: 'shop', service: 'cart', operator: 'op', version: 7 }
    expect(bus.events.map(({ detail }) => JSON.parse(detail))).toEqual([
      { ...common, type: 'Deleted', object: old },
      { ...common, type: 'Updated', object: view('a', '2'), old: view('a', '1') },
    ])
  })

  it('keeps to the limits of a request, whatever the number and size of events', async () => {
    const deltas = Array.from({ length: 95 }, (_, index) => added(`v${index}`, 'é'.repeat(index * 500)))
    const details = await detailsOf(...deltas)
    expect(details.map(({ object }) => object.metadata.name)).toEqual(
      deltas.map(({ object }) => object.metadata.name),
    )
  })

  it('has several requests under way at once, and no more after one that failed', async () => {
    const deltas = Array.from({ length: 300 }, (_, index) => added(`v${index}`))
    const several = Promise.withResolvers<void>()
    let [requests, underWay, most] = [0, 0, 0]
    const bus: EventBus = {
      name: 'slow',
      async put(events) {
        requests++
        most = Math.max(most, ++underWay)
        if (underWay > 1) several.resolve()
        await several.promise
        underWay--
        return events.map(() => undefined)
      },
    }
    await createEventBusSink({ bus }).deliver(delivery(...deltas))
    expect([requests, most]).toEqual([30, 8])
    requests = 0
    const dead: EventBus = {
      name: 'dead',
      put: async () => {
        requests++
        throw new Error('no route')
      },
    }
    await expect(createEventBusSink({ bus: dead }).deliver(delivery(...deltas))).rejects.toThrow('no route')
    await new Promise((done) => setImmediate(done))
    expect(requests).toBeLessThan(17)
  })

  it('leaves out the old object, then the object, where an event would be too large', async () => {
    const half = 'x'.repeat(150_000)
    const huge = 'x'.repeat(300_000)
    const [both, one, none] = await detailsOf(
      updated('a', 'old', half),
      updated('b', half, half),
      updated('c', half, huge),
    )
    expect(both?.old).toBeDefined()
    expect(one?.old).toBeUndefined()
    expect(one?.object).toEqual(view('b', half))
    expect(none).toMatchObject({ truncated: true, object: { metadata: { name: 'c', namespace: 'shop' } } })
    expect(none?.object).not.toHaveProperty('v')
  })

  it('retries only the entries that the bus rejected', async () => {
    const inner = createMemoryEventBus()
    let requests = 0
    const bus: EventBus = {
      name: 'flaky',
      async put(events, signal) {
        requests++
        const taken = events.filter((_, index) => index % 2 === 1 || events.length === 1)
        if (taken.length > 0) await inner.put(taken, signal)
        return events.map((event) =>
          taken.includes(event) ? undefined : { code: 'ThrottlingException', message: '' },
        )
      },
    }
    const backoff = { baseMs: 0, capMs: 0 }
    await createEventBusSink({ bus, backoff }).deliver(
      delivery(...['a', 'b', 'c', 'd'].map((name) => added(name))),
    )
    expect(inner.events).toHaveLength(4)
    expect(requests).toBe(3)
  })

  it('fails where events are refused to the end, or the bus cannot be reached', async () => {
    const backoff = { baseMs: 0, capMs: 0 }
    const refusing: EventBus = {
      name: 'full',
      put: async (events) => events.map(() => ({ code: 'InternalFailure', message: '' })),
    }
    const dead: EventBus = { name: 'dead', put: () => Promise.reject(new Error('no route')) }
    for (const bus of [refusing, dead]) {
      const delivered = createEventBusSink({ bus, backoff }).deliver(delivery(added('a')))
      await expect(delivered).rejects.toThrow(SinkError)
      await expect(delivered).rejects.toThrow(
        /put events of shop\/cart of cluster a on bus (full|dead): (1 were refused, the first with InternalFailure|no route)/,
      )
    }
  })
})
