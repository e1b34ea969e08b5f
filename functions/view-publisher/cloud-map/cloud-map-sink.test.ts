import { beforeEach, describe, expect, it } from 'vitest'
import type { ServiceKey } from '../../../shared/changes/index.ts'
import type { JsonObject, ViewObject } from '../../../shared/views/index.ts'
import { SinkError } from '../sink.ts'
import { createCloudMapSink } from './cloud-map-sink.ts'
import type { Instance, InstanceRegistry } from './instance-registry.ts'
import { createMemoryRegistry } from './memory-registry.fixtures.ts'
import { ATTRIBUTE_VIEW } from './view-instances.ts'

const { signal } = new AbortController()
const KEY: ServiceKey = { cluster: 'a', namespace: 'shop', service: 'cart' }
const view = (name: string, spec: JsonObject): ViewObject => ({
  apiVersion: 'op.view.dcontroller.io/v1alpha1',
  kind: 'EndpointView',
  metadata: { name, namespace: 'shop' },
  spec,
})

describe('the sink of Cloud Map', () => {
  let registry: InstanceRegistry
  let calls: string[]

  beforeEach(() => {
    const inner = createMemoryRegistry()
    calls = []
    registry = {
      ...inner,
      register: (service, instance, abort) => {
        calls.push(`register ${addressOf(instance)}`)
        return inner.register(service, instance, abort)
      },
      deregister: (service, id, abort) => {
        calls.push('deregister')
        return inner.deregister(service, id, abort)
      },
    }
  })

  const deliver = (views: readonly ViewObject[], key = KEY): Promise<void> =>
    createCloudMapSink({ registry }).deliver({ key, operator: 'op', version: 1, deltas: [], views, signal })
  const instances = (): Promise<readonly Instance[]> => registry.list('cart.shop', signal)
  const addressOf = ({ attributes }: Instance): string =>
    attributes.AWS_INSTANCE_IPV4 ?? attributes.AWS_INSTANCE_IPV6 ?? attributes.AWS_INSTANCE_CNAME ?? ''

  it('registers one instance an address, with its port and what the view says', async () => {
    const spec = { serviceName: 'cart', protocol: 'TCP', port: 80, targetPort: 8080 }
    await deliver([
      view('one', { ...spec, address: '10.0.0.1' }),
      view('list', { ...spec, addresses: ['10.0.0.1', 'fd00::1', 'db.example.org', 5] }),
      view('none', spec),
    ])
    const found = await instances()
    expect(found.map(addressOf).sort()).toEqual(['10.0.0.1', '10.0.0.1', 'db.example.org', 'fd00::1'])
    expect(
      found.find(({ attributes }) => attributes[ATTRIBUTE_VIEW] === 'EndpointView/one')?.attributes,
    ).toEqual({
      AWS_INSTANCE_IPV4: '10.0.0.1',
      AWS_INSTANCE_PORT: '8080',
      serviceName: 'cart',
      protocol: 'TCP',
      port: '80',
      targetPort: '8080',
      'sliceflow-cluster': 'a',
      'sliceflow-service': 'shop/cart',
      'sliceflow-view': 'EndpointView/one',
    })
  })

  it.each([
    [{ port: 80 }, '80'],
    [{ port: 80, targetPort: null }, '80'],
    [{ port: 80, targetPort: 'http' }, undefined],
    [{}, undefined],
  ])('gives an instance of %j the port %s', async (spec, port) => {
    await deliver([view('one', { ...spec, address: '10.0.0.1' })])
    expect((await instances())[0]?.attributes.AWS_INSTANCE_PORT).toBe(port)
  })

  it('changes only what differs from what is registered, new instances first', async () => {
    await deliver(['10.0.0.1', '10.0.0.2'].map((address) => view(address, { address })))
    calls = []
    const next = ['10.0.0.2', '10.0.0.3'].map((address) => view(address, { address }))
    await deliver(next)
    expect(calls).toEqual(['register 10.0.0.3', 'deregister'])
    calls = []
    await deliver(next)
    expect(calls).toEqual([])
  })

  it('leaves instances of other clusters and of other people alone', async () => {
    await registry.register(
      'cart.shop',
      { id: 'theirs', attributes: { AWS_INSTANCE_IPV4: '10.9.9.9' } },
      signal,
    )
    await deliver([view('v', { address: '10.0.0.2' })], { ...KEY, cluster: 'b' })
    await deliver([view('v', { address: '10.0.0.1' })])
    await deliver([])
    expect((await instances()).map(addressOf)).toEqual(['10.9.9.9', '10.0.0.2'])
  })

  it('does everything that works before it fails for what does not', async () => {
    const working = registry
    registry = {
      ...working,
      register: (service, instance, abort) =>
        addressOf(instance) === '10.0.0.1'
          ? Promise.reject(new Error('no quota'))
          : working.register(service, instance, abort),
    }
    const delivered = deliver(['10.0.0.1', '10.0.0.2'].map((address) => view(address, { address })))
    await expect(delivered).rejects.toThrow(SinkError)
    await expect(delivered).rejects.toThrow(
      'failed to register 1 of 2 instances of shop/cart of cluster a: no quota',
    )
    expect((await instances()).map(addressOf)).toEqual(['10.0.0.2'])
  })

  it('ends with the new instances also where the old ones take up the quota', async () => {
    const working = registry
    let places = 3
    registry = {
      ...working,
      async register(service, instance, abort) {
        if (places === 0) throw new Error('no quota')
        places--
        await working.register(service, instance, abort)
      },
      async deregister(service, id, abort) {
        await working.deregister(service, id, abort)
        places++
      },
    }
    const views = (...hosts: number[]) => hosts.map((host) => view(`${host}`, { address: `10.0.0.${host}` }))
    await deliver(views(1, 2, 3))
    const moved = views(4, 5, 6)
    await expect(deliver(moved)).rejects.toThrow('failed to register 3 of 3 instances')
    expect(await instances()).toHaveLength(1)
    await expect(deliver(moved)).rejects.toThrow('failed to register 1 of 3 instances')
    await deliver(moved)
    expect((await instances()).map(addressOf).sort()).toEqual(['10.0.0.4', '10.0.0.5', '10.0.0.6'])
  })

  it('leaves out of an instance what Cloud Map would refuse it for', async () => {
    const long = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`text${n}`, 'x'.repeat(400)]))
    const spec = {
      note: 'é',
      line: 'a\nb',
      spaced: ' a',
      empty: '',
      ...long,
      small: 'a b',
      addresses: ['a\n'],
    }
    await deliver([view('é'.repeat(400), { ...spec, addresses: ['10.0.0.1', 'a\n'] })], {
      ...KEY,
      cluster: 'Zürich',
    })
    const [instance, ...others] = await instances()
    const { note, line, spaced, empty, small, ...attributes } = instance?.attributes ?? {}
    expect(others).toEqual([])
    expect([note, line, spaced, empty, small]).toEqual([undefined, undefined, undefined, undefined, 'a b'])
    expect(attributes['sliceflow-cluster']).toBe('Z%C3%BCrich')
    expect(Object.keys(attributes).length).toBeLessThan(30)
    const texts = Object.entries(instance?.attributes ?? {}).flat()
    expect(texts.join('').length).toBeLessThanOrEqual(5_000)
    for (const text of texts) expect(text).toMatch(/^[!-~][ -~]*$/)
  })
})
