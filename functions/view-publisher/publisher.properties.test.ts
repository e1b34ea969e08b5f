import fc from 'fast-check'
import { expect, it } from 'vitest'
import { SILENT_LOG } from '../../shared/telemetry/index.ts'
import { evaluateViews } from '../../shared/views/index.ts'
import { createCloudMapSink } from './cloud-map/cloud-map-sink.ts'
import { createMemoryRegistry } from './cloud-map/memory-registry.fixtures.ts'
import { instancesOf } from './cloud-map/view-instances.ts'
import type { BusEvent } from './event-bus/event-bus.ts'
import { createEventBusSink } from './event-bus/event-bus-sink.ts'
import { consume, KEY, SPECS, service, slice } from './publisher.fixtures.ts'
import { createPublisher, OvertakenError, type Publisher } from './publisher.ts'
import type { Sink } from './sink.ts'
import { createMemoryPublicationStore } from './store/memory-store.fixtures.ts'

class Crash extends Error {}

const { signal } = new AbortController()

const addresses = fc.subarray(['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'])
/** States of the cluster: no Service, or some ports; two slices. */
const states = fc.array(
  fc.record({
    ports: fc.option(fc.subarray([80, 443, 8080]), { nil: undefined }),
    slices: fc.tuple(addresses, addresses),
    /** Deliveries of the key's message. */
    messages: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 1, maxLength: 4 },
)
/** Whether the worker dies before or after a step, in the order in which steps are made. */
const crashes = fc.array(fc.constantFrom('no', 'no', 'no', 'before', 'after'), { maxLength: 40 })
const specs = fc.constantFrom(...Object.values(SPECS))
/** Times of clocks that go wrong. */
const times = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 5 })

it('every sink ends in the state of a fresh evaluation, whatever is delivered twice, late or lost half-way', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({ spec: specs, states, crashes, times, scheduler: fc.scheduler(), seed: fc.nat() }),
      async ({ spec, states: steps, crashes: fates, times: clock, scheduler, seed }) => {
        const remaining = [...fates]
        /** Runs one step of a worker: others' steps come between any two, and it may die at each. */
        async function step<T>(name: string, effect: () => Promise<T>): Promise<T> {
          await scheduler.schedule(Promise.resolve(), name)
          const fate = remaining.shift()
          if (fate === 'before') throw new Crash()
          const result = await effect()
          if (fate === 'after') throw new Crash()
          return result
        }

        let current: { service: object[]; slices: object[] } = { service: [], slices: [] }
        const store = createMemoryPublicationStore()
        const registry = createMemoryRegistry()
        const sent: BusEvent[] = []
        let ticks = 0
        const sinks = [
          createEventBusSink({
            attempts: 1,
            bus: {
              name: 'test',
              put: (events) =>
                step('put', async () => {
                  sent.push(...events)
                  return events.map(() => undefined)
                }),
            },
          }),
          createCloudMapSink({
            registry: {
              name: 'test',
              list: (...args) => step('list', () => registry.list(...args)),
              register: (...args) => step('register', () => registry.register(...args)),
              deregister: (...args) => step('deregister', () => registry.deregister(...args)),
            },
          }),
        ]
        const publisherTo = (some: readonly Sink[]) =>
          createPublisher({
            spec,
            read: async () => [
              ...(await step('read the Service', async () => current.service)),
              ...(await step('read the slices', async () => current.slices)),
            ],
            store: {
              ...store,
              load: (key) => step('load', () => store.load(key)),
              version: (key) => step('version', () => store.version(key)),
              save: (...args) => step('save', () => store.save(...args)),
              markSent: (...args) => step('mark', () => store.markSent(...args)),
            },
            sinks: some,
            logger: SILENT_LOG,
            now: () => (clock[ticks++ % clock.length] ?? 0) + ticks,
          })

        /** Two deployments on one table, which share a sink. */
        const publishers = [publisherTo(sinks), publisherTo(sinks.slice(0, 1))]

        /** Handles a message, which stays in the queue until a worker has done with it. */
        async function message(publisher: Publisher): Promise<void> {
          for (;;) {
            try {
              await publisher.publish(KEY, signal)
              return
            } catch (error) {
              if (!isExpected(error)) throw error
            }
          }
        }
        async function change(): Promise<void> {
          const messages: Promise<void>[] = []
          for (const state of steps) {
            await scheduler.schedule(Promise.resolve(), 'change')
            current = {
              service: state.ports === undefined ? [] : [service(...state.ports)],
              slices: state.slices.map((list, index) => slice(`cart-${index}`, ...list)),
            }
            for (let count = 0; count < state.messages; count++) messages.push(...publishers.map(message))
          }
          await Promise.all(messages)
        }
        await scheduler.waitFor(change())

        const objects = [...current.service, ...current.slices]
        const views = evaluateViews(spec, objects).views.filter(({ kind }) => kind === 'EndpointView')
        const byName = (list: readonly unknown[]): string[] => list.map((one) => JSON.stringify(one)).sort()
        expect(byName(consume(sent))).toEqual(byName(views))
        expect(byName(consume(shuffled(sent, seed)))).toEqual(byName(views))
        const instances = await registry.list('cart.shop', signal)
        expect(byName(instances)).toEqual(byName(instancesOf(KEY, views)))
        for (const sink of ['event bus test', 'Cloud Map test'])
          expect((await store.load({ ...KEY, sink }))?.pending ?? []).toEqual([])
      },
    ),
    { numRuns: 150 },
  )
}, 60_000)

/**
 * Reports whether an error is a crash of the worker, also as a sink wraps it, or a way in which a worker asks
 * for another try.
 */
function isExpected(error: unknown): boolean {
  if (error instanceof Crash || error instanceof OvertakenError) return true
  if (error instanceof AggregateError) return error.errors.every(isExpected)
  return error instanceof Error && error.cause !== undefined && isExpected(error.cause)
}

/** Shuffles items, in the same order for the same seed. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const rank = (index: number): number => Math.sin(seed + index * 7919)
  return items
    .map((item, index) => ({ item, rank: rank(index) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}
