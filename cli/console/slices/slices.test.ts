import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Endpoint, EndpointSlice } from '../../../shared/endpointslice/index.ts'
import {
  createSliceWatch,
  type PicturedSlice,
  parseChoice,
  picturedSlice,
  pictureOf,
  type SlicesPicture,
} from './chosen-slices.ts'

const MANAGED_BY = 'sliceflow.dev'
const READY: Endpoint = { addresses: ['10.0.0.1'], conditions: { ready: true } }
const UNREADY: Endpoint = { addresses: ['10.0.0.2'], conditions: { ready: false } }
const TERMINATING: Endpoint = { addresses: ['10.0.0.3'], conditions: { ready: false, terminating: true } }

const slice = (name: string, endpoints: readonly Endpoint[], manager = MANAGED_BY): EndpointSlice => ({
  metadata: { name, labels: { 'endpointslice.kubernetes.io/managed-by': manager } },
  addressType: 'IPv4',
  endpoints: [...endpoints],
  ports: [],
})

describe('the Service that is chosen', () => {
  const choice = (query: string) => parseChoice(new URLSearchParams(query), ['eu-1'])

  it('is none where none is asked for', () => {
    expect(choice('')).toBeUndefined()
  })

  it('is one of a cluster that is known', () => {
    expect(choice('cluster=eu-1&service=shop/web')).toEqual({
      cluster: 'eu-1',
      namespace: 'shop',
      service: 'web',
    })
    for (const service of ['web', 'web.example.com']) {
      const ofSelector = { cluster: 'eu-1', namespace: 'shop', service, ownerKind: 'EndpointSelector' }
      expect(choice(`cluster=eu-1&service=shop/${service}/EndpointSelector`)).toEqual(ofSelector)
    }
    expect(choice('cluster=us-1&service=shop/web')).toBe('There is no such cluster.')
    expect(choice('service=shop/web')).toBe('There is no such cluster.')
  })

  it.each([
    '',
    'web',
    'shop/',
    '/web',
    'shop/web/more',
    'shop/we b',
    'shop/web,app=x',
    '../..',
    'shop/<b>',
    'shop/web.x',
    'shop/web,x/EndpointSelector',
    'shop//EndpointSelector',
    'SHOP/web',
    `shop/${'x'.repeat(64)}`,
  ])('is not %j, which nothing is called in an API server', (service) => {
    const query = new URLSearchParams({ cluster: 'eu-1', service }).toString()
    expect(choice(query)).toMatch(/^That is not the name of a Service/)
  })
})

describe('the picture of a Service’s slices', () => {
  it('has a letter for each endpoint, and whose a slice is where it is not ours', () => {
    const picture = pictureOf([
      picturedSlice(slice('web-b', [READY, UNREADY, TERMINATING]), MANAGED_BY),
      picturedSlice(
        slice('web-a', [{ addresses: ['10.0.0.9'] }], 'endpointslice-controller.k8s.io'),
        MANAGED_BY,
      ),
      picturedSlice(
        { metadata: { name: 'web-c' }, addressType: 'IPv4', endpoints: [], ports: [] },
        MANAGED_BY,
      ),
    ])
    expect(picture).toEqual({
      slices: [
        { name: 'web-a', cells: 'r', manager: 'endpointslice-controller.k8s.io' },
        { name: 'web-b', cells: 'rut' },
        { name: 'web-c', cells: '', manager: 'no manager' },
      ],
      hidden: 0,
      endpoints: { r: 2, u: 1, t: 1 },
    })
  })

  it('counts every endpoint and slice, and draws a bounded part of them', () => {
    const pictured: fc.Arbitrary<PicturedSlice> = fc.record({
      name: fc.string(),
      cells: fc.string({ unit: fc.constantFrom('r', 'u', 't'), maxLength: 1_000 }),
    })
    fc.assert(
      fc.property(fc.array(pictured, { maxLength: 60 }), (all) => {
        const { slices, hidden, endpoints } = pictureOf(all)
        const total = all.reduce((sum, { cells }) => sum + cells.length, 0)
        expect(endpoints.r + endpoints.u + endpoints.t).toBe(total)
        expect(slices.length + hidden).toBe(all.length)
        expect(slices.length).toBeLessThanOrEqual(24)
        expect(slices.reduce((sum, { cells }) => sum + cells.length, 0)).toBeLessThanOrEqual(3_000)
        if (total <= 3_000 && all.length <= 24) expect(hidden).toBe(0)
      }),
    )
  })
})

describe('a watch of slices', () => {
  function setUp() {
    const reported: SlicesPicture[] = []
    const watch = createSliceWatch(MANAGED_BY, (picture) => reported.push(picture))
    const cells = () => reported.at(-1)?.slices?.map((one) => `${one.name} ${one.cells}`)
    return { watch, reported, cells }
  }

  it('reports what was listed, and then changes that come together as one', async () => {
    const { watch, reported, cells } = setUp()
    watch.listing()
    watch.object(slice('web-a', [READY]))
    watch.object(slice('web-b', [READY]))
    watch.listed('1')
    expect([reported.length, cells()]).toEqual([1, ['web-a r', 'web-b r']])
    watch.changed(slice('web-a', [UNREADY]))
    watch.changed(slice('web-c', [READY]))
    watch.deleted(slice('web-b', []))
    expect(reported).toHaveLength(1)
    await expect.poll(() => reported.length).toBe(2)
    expect(cells()).toEqual(['web-a u', 'web-c r'])
  })

  it('forgets what another list does not have', () => {
    const { watch, cells } = setUp()
    watch.listing()
    watch.object(slice('web-a', [READY]))
    watch.listed('1')
    watch.listing()
    watch.listed('2')
    expect(cells()).toEqual([])
  })

  it('reports why it cannot go on, without credentials, and the slices again once it can', () => {
    const { watch, reported } = setUp()
    watch.listing()
    watch.object(slice('web-a', [READY]))
    watch.listed('1')
    watch.failed?.(new Error('forbidden\u001b[2J: Bearer abcDEF123456789'), 500)
    expect(reported.at(-1)).toEqual({ problem: 'forbidden [2J: Bearer [redacted]' })
    watch.recovered?.()
    expect(reported.at(-1)).toMatchObject({ slices: [{ name: 'web-a' }] })
  })

  it('keeps a bounded number of slices, whoever makes them', () => {
    const { watch, reported } = setUp()
    watch.listing()
    for (let index = 0; index < 3_000; index++) watch.object(slice(`web-${index}`, [READY]))
    watch.listed('1')
    expect(reported.at(-1)).toMatchObject({ hidden: 2_000 - 24, endpoints: { r: 2_000, u: 0, t: 0 } })
  })
})
