import { describe, expect, it } from 'vitest'
import {
  createEngine,
  createLiveViews,
  type LiveViews,
  loadSpec,
  type ObjectEvent,
  type ViewEvent,
} from '../index.ts'

const SPEC = `
controllers:
  - name: copies
    sources: [{ apiGroup: "", kind: Thing }]
    pipeline: { "@project": { metadata: { name: $.metadata.name, namespace: $.metadata.namespace }, v: $.v } }
    target: { kind: Copy }
`
const start = (highWaterMark?: number): LiveViews => {
  const engine = createEngine(loadSpec(SPEC))
  engine.start()
  return createLiveViews(engine, { highWaterMark })
}
const thing = (name: string, v: number, namespace = 'shop'): ObjectEvent => ({
  type: 'Updated',
  object: { apiVersion: 'v1', kind: 'Thing', metadata: { name, namespace }, v },
})
const gone = (name: string): ObjectEvent => ({ ...thing(name, 0), type: 'Deleted' })
const textOf = ({ type, object, old }: ViewEvent): string =>
  [type, object.metadata.name, ...(old === undefined ? [] : [old.v, '→']), object.v].join(' ')

async function take(events: AsyncIterable<ViewEvent>, count: number): Promise<string[]> {
  const taken: string[] = []
  for await (const event of events) {
    taken.push(textOf(event))
    if (taken.length === count) break
  }
  return taken
}

describe('a subscription', () => {
  it('begins with what is there, and goes on with the changes', async () => {
    const live = start()
    await live.apply(thing('a', 1), thing('b', 1))
    const subscription = live.subscribe()
    await live.apply(thing('a', 2))
    await live.apply(gone('b'))
    await live.apply(thing('c', 1))
    expect(await take(subscription, 5)).toEqual([
      'Added a 1',
      'Added b 1',
      'Updated a 1 → 2',
      'Deleted b 1 → 1',
      'Added c 1',
    ])
  })

  it('waits for changes to come', async () => {
    const live = start()
    const taken = take(live.subscribe(), 1)
    await live.apply(thing('a', 1))
    expect(await taken).toEqual(['Added a 1'])
  })

  it('shows only the namespace and the kinds that were asked for', async () => {
    const live = start()
    const here = live.subscribe({ namespace: 'here', kinds: ['Copy'] })
    const others = live.subscribe({ kinds: ['Other'] })
    await live.apply(thing('a', 1), thing('b', 1, 'here'))
    expect(await take(here, 1)).toEqual(['Added b 1'])
    others.close()
    expect(await take(others, 1)).toEqual([])
  })

  it('makes the source of changes wait when its consumer is slow', async () => {
    const live = start(2)
    const subscription = live.subscribe()
    let applied = 0
    const applying = (async () => {
      for (let v = 1; v <= 10; v++) {
        await live.apply(thing('a', v))
        applied = v
      }
    })()
    const iterator = subscription[Symbol.asyncIterator]()
    for (let taken = 1; taken <= 10; taken++) {
      expect((await iterator.next()).value?.object.v).toBe(taken)
      expect(applied).toBeLessThanOrEqual(taken + 2)
    }
    await applying
    expect(applied).toBe(10)
  })

  it('lets all go on who wait for room, also those who came at the same time', async () => {
    const live = start(1)
    const subscription = live.subscribe()
    const waiting = [1, 2, 3].map((v) => live.apply(thing('a', v)))
    const iterator = subscription[Symbol.asyncIterator]()
    for (const v of [1, 2, 3]) expect((await iterator.next()).value?.object.v).toBe(v)
    await Promise.all(waiting)
  })

  it('wakes all who read it when it is closed', async () => {
    const subscription = start().subscribe()
    const readers = [1, 2].map(() => take(subscription, 1))
    subscription.close()
    expect(await Promise.all(readers)).toEqual([[], []])
  })

  it('holds up nothing once it is closed', async () => {
    const live = start(1)
    const subscription = live.subscribe()
    const waiting = live.apply(thing('a', 1), thing('b', 1))
    subscription.close()
    await waiting
    await live.apply(thing('a', 2), thing('b', 2))
    expect(await take(subscription, 1)).toEqual([])
  })
})

describe('a handler', () => {
  const backoff = { baseMs: 1, capMs: 1 }

  it('gets each event once when all goes well', async () => {
    const live = start()
    const stop = new AbortController()
    const handled: string[] = []
    await live.apply(thing('a', 1))
    const done = live.consume((event) => void handled.push(textOf(event)), { signal: stop.signal })
    await live.apply(thing('a', 2), thing('b', 1))
    await expect.poll(() => handled).toEqual(['Added a 1', 'Updated a 1 → 2', 'Added b 1'])
    stop.abort()
    await done
  })

  it('gets an event again that it could not handle, with what happened since, while others go on', async () => {
    const live = start()
    const stop = new AbortController()
    const handled: string[] = []
    const errors: unknown[] = []
    let broken = true
    const done = live.consume(
      (event) => {
        if (broken && event.object.metadata.name === 'bad') throw new Error('sink refused')
        handled.push(textOf(event))
      },
      { signal: stop.signal, backoff, onError: (error) => void errors.push(error) },
    )
    await live.apply(thing('bad', 1))
    await live.apply(thing('good', 1))
    await expect.poll(() => handled).toEqual(['Added good 1'])
    await expect.poll(() => errors.length).toBeGreaterThan(2)
    await live.apply(thing('bad', 2))
    await live.apply(thing('last', 1))
    await expect.poll(() => handled).toContain('Added last 1')
    broken = false
    await expect.poll(() => handled).toContain('Added bad 2')
    await live.apply(gone('bad'))
    await expect.poll(() => handled.at(-1)).toBe('Deleted bad 2 → 2')
    stop.abort()
    await done
  })

  it('gets a deletion even if it never accepted the addition', async () => {
    const live = start()
    const stop = new AbortController()
    const handled: string[] = []
    let failures = 0
    const done = live.consume(
      (event) => {
        if (event.type === 'Added') {
          failures++
          throw new Error('sink refused')
        }
        handled.push(textOf(event))
      },
      { signal: stop.signal, backoff },
    )
    await live.apply(thing('a', 1))
    await expect.poll(() => failures).toBeGreaterThan(0)
    await live.apply(gone('a'))
    await expect.poll(() => handled).toEqual(['Deleted a 1 → 1'])
    stop.abort()
    await done
  })

  it('runs once at a time', async () => {
    const live = start()
    const stop = new AbortController()
    let running = 0
    let most = 0
    let handled = 0
    const done = live.consume(
      async () => {
        most = Math.max(most, ++running)
        await Promise.resolve()
        running--
        handled++
      },
      { signal: stop.signal },
    )
    await live.apply(...Array.from({ length: 20 }, (_, v) => thing(`t${v}`, v)))
    await expect.poll(() => handled).toBe(20)
    expect(most).toBe(1)
    stop.abort()
    await done
  })
})
