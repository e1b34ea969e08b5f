import { beforeEach, describe, expect, it, vi } from 'vitest'
import { UnknownClusterError } from '../../shared/reconciler/index.ts'
import { createLogger } from '../../shared/telemetry/index.ts'
import { loadSpec } from '../../shared/views/index.ts'
import { createCloudMapSink } from './cloud-map/cloud-map-sink.ts'
import type { InstanceRegistry } from './cloud-map/instance-registry.ts'
import { createMemoryRegistry } from './cloud-map/memory-registry.fixtures.ts'
import { createEventBusSink } from './event-bus/event-bus-sink.ts'
import { createMemoryEventBus, type MemoryEventBus } from './event-bus/memory-event-bus.fixtures.ts'
import { consume, KEY, SPECS, service, slice } from './publisher.fixtures.ts'
import { createPublisher, OvertakenError, type Publisher, type PublisherOptions } from './publisher.ts'
import { ServiceSpecError } from './service-spec.ts'
import { type Sink, SinkError } from './sink.ts'
import { createMemoryPublicationStore } from './store/memory-store.fixtures.ts'
import type { PublicationStore } from './store/publication-store.ts'

const { signal } = new AbortController()

describe('the publisher', () => {
  let objects: readonly object[]
  let store: PublicationStore
  let bus: MemoryEventBus
  let registry: InstanceRegistry
  let logged: { readonly msg: string; readonly step?: string; readonly deltas?: number }[]

  beforeEach(() => {
    objects = [service(80), slice('cart-1', '10.0.0.1', '10.0.0.2')]
    store = createMemoryPublicationStore()
    bus = createMemoryEventBus()
    registry = createMemoryRegistry()
    logged = []
  })

  const bound = (options: Partial<PublisherOptions> = {}): Publisher => {
    const publisher = createPublisher({
      spec: SPECS['endpoint lists'],
      read: async () => objects,
      store,
      sinks: [createEventBusSink({ bus })],
      logger: createLogger({ write: (line) => logged.push(JSON.parse(line)) }),
      now: () => 1_000,
      ...options,
    })
    return {
      publish: (...args) => publisher.publish(...args),
      isPublished: (key) => publisher.isPublished(key),
    }
  }
  const publisher = (options?: Partial<PublisherOptions>): Publisher['publish'] => bound(options).publish
  const events = (): string[] =>
    bus.events.map(({ detail }) => {
      const { type, version, object } = JSON.parse(detail)
      return `${version} ${type} ${object.metadata.name} ${object.spec?.addresses}`
    })
  /** What the bus in memory was given. */
  const ofBus = { ...KEY, sink: 'event bus memory' }
  const newBus = (): Sink => createEventBusSink({ bus: { ...createMemoryEventBus(), name: 'other' } })
  const down = (why: string): Sink => ({
    ...createEventBusSink({ bus }),
    deliver: () => Promise.reject(new Error(why)),
  })
  const failOnce = (sink: Sink): Sink => ({
    ...sink,
    deliver: vi.fn(sink.deliver).mockRejectedValueOnce(new SinkError('the bus is down')),
  })

  it('reports each change once, in versions that grow', async () => {
    const publish = publisher()
    await publish(KEY, signal)
    await publish(KEY, signal)
    objects = [service(80), slice('cart-1', '10.0.0.2')]
    await publish(KEY, signal)
    objects = []
    await publish(KEY, signal)
    expect(events()).toEqual([
      '1000 Added cart-TCP-80 10.0.0.1,10.0.0.2',
      '1001 Updated cart-TCP-80 10.0.0.2',
      '1002 Deleted cart-TCP-80 10.0.0.2',
    ])
    const published = { ...ofBus, deltas: 1, msg: 'published views' }
    expect(logged).toMatchObject([published, published, published])
  })

  it('publishes only views that no controller reads, and nothing of a Service that takes no part', async () => {
    objects = [slice('cart-1', '10.0.0.1')]
    await publisher()(KEY, signal)
    expect(await store.version(ofBus)).toBeUndefined()
    objects = [service(80, 443), slice('cart-1', '10.0.0.1')]
    await publisher()(KEY, signal)
    expect(new Set(bus.events.map(({ detail }) => JSON.parse(detail).object.kind))).toEqual(
      new Set(['EndpointView']),
    )
  })

  it('sends what it could not send when the message comes again, also if the Service is as before', async () => {
    const publish = publisher({ sinks: [failOnce(createEventBusSink({ bus }))] })
    await expect(publish(KEY, signal)).rejects.toThrow('the bus is down')
    const first = objects
    objects = [service(80), slice('cart-1')]
    await publish(KEY, signal)
    objects = first
    await publish(KEY, signal)
    expect(events()).toEqual([
      '1000 Added cart-TCP-80 10.0.0.1,10.0.0.2',
      '1001 Deleted cart-TCP-80 10.0.0.1,10.0.0.2',
      '1002 Added cart-TCP-80 10.0.0.1,10.0.0.2',
    ])
  })

  it('gives a change to every sink, also where one fails, and again to that one alone', async () => {
    const other = { ...createMemoryEventBus(), name: 'other' }
    const sinks = [failOnce(createEventBusSink({ bus })), createEventBusSink({ bus: other })]
    const publish = publisher({ sinks })
    await expect(publish(KEY, signal)).rejects.toThrow(SinkError)
    expect([bus.events.length, other.events.length]).toEqual([0, 1])
    await publish(KEY, signal)
    expect([bus.events.length, other.events.length]).toEqual([1, 1])
  })

  it('never publishes what a slow worker has read over what a quicker one has read later', async () => {
    const held = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const old = objects
    let reads = 0
    const slow = publisher({
      read: async () => {
        if (reads++ > 0) return objects
        begun.resolve()
        await held.promise
        return old
      },
    })(KEY, signal)
    await begun.promise
    objects = [service(80), slice('cart-1', '10.0.0.9')]
    await publisher()(KEY, signal)
    held.resolve()
    await slow
    expect(events()).toEqual(['1000 Added cart-TCP-80 10.0.0.9'])
  })

  it('mends what a slow worker does to a sink with a state of its own', async () => {
    const sinks = [createCloudMapSink({ registry })]
    await publisher({ sinks })(KEY, signal)
    const [lost] = await registry.list('cart.shop', signal)
    await registry.deregister('cart.shop', lost?.id ?? '', signal)
    const held = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const slowRegistry: InstanceRegistry = {
      ...registry,
      register: async (...args) => {
        begun.resolve()
        await held.promise
        await registry.register(...args)
      },
    }
    const slow = publisher({ sinks: [createCloudMapSink({ registry: slowRegistry })] })(KEY, signal)
    await begun.promise
    objects = []
    await publisher({ sinks })(KEY, signal)
    held.resolve()
    await slow
    expect(await registry.list('cart.shop', signal)).toEqual([])
  })

  it('brings a sink with a state of its own to what the Service is, also where it refused what that was', async () => {
    const full: InstanceRegistry = {
      ...registry,
      register: async (...args) => {
        if ((await registry.list('cart.shop', signal)).length === 1) throw new Error('no quota')
        await registry.register(...args)
      },
    }
    const sinks = [createEventBusSink({ bus }), createCloudMapSink({ registry: full, concurrency: 1 })]
    const publish = publisher({ sinks })
    await expect(publish(KEY, signal)).rejects.toThrow('no quota')
    objects = [service(80), slice('cart-1', '10.0.0.1')]
    await publish(KEY, signal)
    expect(await registry.list('cart.shop', signal)).toMatchObject([
      { attributes: { AWS_INSTANCE_IPV4: '10.0.0.1' } },
    ])
    expect((await store.load({ ...KEY, sink: 'Cloud Map memory' }))?.pending).toEqual([])
  })

  it('keeps what a sink with a state of its own refused to take away in the outbox, for the sweep', async () => {
    const stuck: InstanceRegistry = { ...registry, deregister: () => Promise.reject(new Error('no way')) }
    await publisher({ sinks: [createCloudMapSink({ registry: stuck })] })(KEY, signal)
    objects = []
    const publish = publisher({
      sinks: [createEventBusSink({ bus }), createCloudMapSink({ registry: stuck })],
    })
    await expect(publish(KEY, signal)).rejects.toThrow('no way')
    await expect(publish(KEY, signal)).rejects.toThrow('no way')
    expect((await store.load({ ...KEY, sink: 'Cloud Map memory' }))?.pending).toHaveLength(1)
  })

  it('keeps a sink with a state of its own up to date while another one fails', async () => {
    const publish = publisher({ sinks: [down('no bus'), createCloudMapSink({ registry })] })
    for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.3']) {
      objects = [service(80), slice('cart-1', address)]
      await expect(publish(KEY, signal)).rejects.toThrow('no bus')
      expect(await registry.list('cart.shop', signal)).toMatchObject([
        { attributes: { AWS_INSTANCE_IPV4: address } },
      ])
    }
    await publisher({ sinks: [createEventBusSink({ bus }), createCloudMapSink({ registry })] })(KEY, signal)
    expect(consume(bus.events)).toMatchObject([{ spec: { addresses: ['10.0.0.3'] } }])
  })

  it('gives each bus its own changes: all that is there if it is new, and what went while it was not here', async () => {
    const other = { ...createMemoryEventBus(), name: 'other' }
    const [one, two] = [createEventBusSink({ bus }), createEventBusSink({ bus: other })]
    objects = [service(80, 443), slice('cart-1', '10.0.0.1')]
    await publisher({ sinks: [one] })(KEY, signal)
    objects = [service(80), slice('cart-1', '10.0.0.1')]
    await publisher({ sinks: [two] })(KEY, signal)
    await publisher({ sinks: [one, two] })(KEY, signal)
    expect(consume(other.events)).toMatchObject([{ metadata: { name: 'cart-TCP-80' } }])
    expect(consume(bus.events)).toEqual(consume(other.events))
    expect([bus.events.length, other.events.length]).toEqual([3, 1])
  })

  it('has nothing to say to one bus for what a publisher beside it says to another', async () => {
    const other = { ...createMemoryEventBus(), name: 'other' }
    const publishers = [
      publisher(),
      publisher({ sinks: [createEventBusSink({ bus: other })] }),
      publisher({ sinks: [createEventBusSink({ bus }), createEventBusSink({ bus: other })] }),
    ]
    for (const publish of [...publishers, ...publishers]) await publish(KEY, signal)
    expect([bus.events.length, other.events.length]).toEqual([1, 1])
  })

  it('says that a Service is published as long as a sink has views of it, or something to get', async () => {
    const { publish, isPublished } = bound({ sinks: [newBus(), createEventBusSink({ bus })] })
    expect(await isPublished(KEY)).toBe(false)
    await publisher()(KEY, signal)
    expect(await isPublished(KEY)).toBe(true)
    objects = []
    await expect(publisher({ sinks: [down('no bus')] })(KEY, signal)).rejects.toThrow('no bus')
    expect(await isPublished(KEY)).toBe(true)
    await publish(KEY, signal)
    expect(await isPublished(KEY)).toBe(false)
  })

  it('says of each sink why it failed, and reads nothing where none can be given anything', async () => {
    const sinks = [down('no bus'), { ...down('no way'), name: 'other' }]
    await expect(publisher({ sinks })(KEY, signal)).rejects.toThrow(
      /shop\/cart of cluster a: no bus; no way$/,
    )
    const dead = { ...store, load: () => Promise.reject(new Error('no table')) }
    const published = publisher({ store: dead, read: () => expect.unreachable() })(KEY, signal)
    await expect(published).rejects.toThrow('no table')
  })

  it('leaves views of a cluster that is no longer known as they are, and gives up a key that has none', async () => {
    const read = () => Promise.reject(UnknownClusterError.among(['b'], 'a'))
    await expect(publisher({ read })(KEY, signal)).rejects.toThrow(UnknownClusterError)
    await publisher()(KEY, signal)
    await publisher({ read, sinks: [newBus(), createEventBusSink({ bus })] })(KEY, signal)
    expect(consume(bus.events)).toHaveLength(1)
    expect(logged.at(-1)?.msg).toContain('its views stay as they were published')
  })

  it('registers again what somebody has taken out of a sink with a state of its own', async () => {
    const publish = publisher({ sinks: [createCloudMapSink({ registry })] })
    await publish(KEY, signal)
    const [lost] = await registry.list('cart.shop', signal)
    await registry.deregister('cart.shop', lost?.id ?? '', signal)
    await publish(KEY, signal)
    expect(await registry.list('cart.shop', signal)).toHaveLength(2)
  })

  it('returns later to a Service that keeps changing', async () => {
    let address = 0
    const restless = publisher({ read: async () => [service(80), slice('cart-1', `10.0.0.${address++}`)] })
    const published = restless(KEY, signal)
    await expect(published).rejects.toThrow(OvertakenError)
    await expect(published).rejects.toMatchObject({ retryable: true })
  })

  it('passes over a bad object, says which, and publishes the rest', async () => {
    objects = [...objects, { ...slice('bad'), endpoints: 'many' }]
    await publisher()(KEY, signal)
    expect(events()).toHaveLength(1)
    expect(logged.find(({ step }) => step !== undefined)).toMatchObject({
      step: '@unwind (step 2)',
      objects: ['ServiceView shop/cart-TCP-80', 'EndpointSlice shop/bad'],
    })
  })

  it('publishes 1,000 endpoints of two ports, and a change of one as two events', async () => {
    const addresses = Array.from({ length: 1_000 }, (_, index) => `10.1.${index >> 8}.${index & 255}`)
    const slices = (): object[] =>
      Array.from({ length: 10 }, (_, index) =>
        slice(`cart-${index}`, ...addresses.slice(index * 100, (index + 1) * 100)),
      )
    objects = [service(80, 443), ...slices()]
    const publish = publisher({ spec: SPECS.endpoints })
    await publish(KEY, signal)
    expect(bus.events).toHaveLength(2_000)
    addresses.pop()
    objects = [service(80, 443), ...slices()]
    await publish(KEY, signal)
    expect(bus.events).toHaveLength(2_002)
    expect(consume(bus.events)).toHaveLength(1_998)
  })

  it('stops where it is asked to, before it writes', async () => {
    const controller = new AbortController()
    const publish = publisher({
      read: async () => {
        controller.abort(new Error('out of time'))
        return objects
      },
    })
    await expect(publish(KEY, controller.signal)).rejects.toThrow('out of time')
    expect(await store.version(ofBus)).toBeUndefined()
  })

  it('refuses a spec that cannot be evaluated on one Service, with everything that is against it', () => {
    const spec = loadSpec(`
controllers:
  - name: pods
    sources: [{ apiGroup: "", kind: Pod }]
    target: { apiGroup: "", kind: ConfigMap }
  - name: ticks
    sources: [{ apiGroup: "", kind: Service }, { type: Periodic, kind: Tick }]
    target: { kind: V }
  - name: times
    sources: [{ apiGroup: "", kind: Service }]
    pipeline: [{ "@project": { metadata: $.metadata, at: { "@concat": ["on ", "@now"] } } }]
    target: { kind: V }
  - name: views
    sources: [{ kind: Service }]
    target: { kind: V }
  - name: draws
    sources: [{ apiGroup: "", kind: Service }]
    pipeline: [{ "@select": { "@eq": [{ "@rnd": [0, 2] }, 1] } }]
    target: { kind: V }
`)
    expect(() => publisher({ spec })).toThrow(ServiceSpecError)
    expect(() => publisher({ spec })).toThrow(
      /pods reads Pod, .*; controller pods writes ConfigMap, .*; controller ticks has a Periodic source.*; controller times uses @now, .*; controller views reads the view Service, which no controller writes; .*; controller draws uses @rnd, /,
    )
  })
})
