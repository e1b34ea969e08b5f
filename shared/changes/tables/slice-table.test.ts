import { beforeEach, describe, expect, it } from 'vitest'
import { type Endpoint, type EndpointSlice, LABEL_SERVICE_NAME } from '../../endpointslice/index.ts'
import { seal } from '../seal/seal.ts'
import { createSliceTable, NO_SERVICE, type SliceTable, sliceOfEntry } from './slice-table.ts'

const slice = (name: string, service: string, more: Partial<EndpointSlice> = {}): EndpointSlice => ({
  metadata: { name, namespace: 'shop', resourceVersion: '5', labels: { [LABEL_SERVICE_NAME]: service } },
  addressType: 'IPv4',
  endpoints: [],
  ...more,
})
const versioned = (of: EndpointSlice, resourceVersion: string): EndpointSlice => ({
  ...of,
  metadata: { ...of.metadata, resourceVersion },
})
const endpoint = (targetRef?: Endpoint['targetRef']): Endpoint => ({ addresses: ['10.0.0.1'], targetRef })

describe('slices', () => {
  let table: SliceTable
  const namesOf = (service: string): string[] => [...table.of(service)].map(({ name }) => name).sort()
  const put = (of: EndpointSlice) => table.put(`shop/${of.metadata?.name}`, of)

  beforeEach(() => {
    table = createSliceTable()
    put(slice('a', 'web'))
    put(slice('b', 'web'))
    put(slice('c', 'api'))
  })

  it('are found by their Service, and it is known as long as it has one', () => {
    expect(namesOf('shop/web')).toEqual(['a', 'b'])
    table.delete('shop/a', slice('a', 'web'))
    expect(namesOf('shop/web')).toEqual(['b'])
    table.delete('shop/b', slice('b', 'web'))
    expect([...table.services()]).toEqual(['shop/api'])
    expect(table.size()).toBe(1)
  })

  it('are of the Service that their label names now', () => {
    const { before, after } = put(slice('b', 'api'))
    expect([before?.service, after.service]).toEqual(['shop/web', 'shop/api'])
    expect(namesOf('shop/web')).toEqual(['a'])
    expect(namesOf('shop/api')).toEqual(['b', 'c'])
  })

  it('are of no Service where no label names one', () => {
    put(slice('d', 'Not_A_Service'))
    put({ ...slice('e', 'web'), metadata: { name: 'e', namespace: 'shop' } })
    expect(namesOf(NO_SERVICE)).toEqual(['d', 'e'])
  })

  it('are gone after a list that does not name them, each time', () => {
    for (const version of ['7', '9']) {
      table.listing()
      put(slice('a', 'web'))
      expect(table.listed(version).map(([, { name }]) => name)).toEqual(['b', 'c'])
      expect(namesOf('shop/web')).toEqual(['a'])
      expect([...table.services()]).toEqual(['shop/web'])
      put(slice('b', 'web'))
      put(slice('c', 'api'))
    }
  })

  it('that are deleted twice are reported once', () => {
    expect(table.delete('shop/a', slice('a', 'web'))?.name).toBe('a')
    expect(table.delete('shop/a', slice('a', 'web'))).toBeUndefined()
    expect(namesOf('shop/web')).toEqual(['b'])
  })

  it('count with the Pods of their own namespace that they hold, and with nothing else', () => {
    const endpoints = [
      endpoint({ kind: 'Pod', namespace: 'shop', name: 'p' }),
      endpoint({ kind: 'Pod', namespace: 'other', name: 'q' }),
      endpoint({ kind: 'Machine', namespace: 'shop', name: 'r' }),
      endpoint({ kind: 'Pod', namespace: 'shop' }),
      endpoint(),
    ]
    const { after } = put(slice('d', 'web', { endpoints }))
    expect([...after.pods.keys()]).toEqual(['p'])
    expect(after.endpoints).toBe(5)
    const { endpoints: _, ...none } = slice('e', 'web')
    expect([...put(none as EndpointSlice).after.pods.keys()]).toEqual([])
    expect(table.get('shop/e')?.endpoints).toBe(0)
  })

  it('are made again with all of their endpoints, or with those of some Pods and of none', () => {
    const of = (name: string) => endpoint({ kind: 'Pod', namespace: 'shop', name })
    const [p, q, none] = [of('p'), of('q'), endpoint()]
    const again = { ...p, addresses: ['10.0.0.9'] }
    const ports = [{ name: 'http', port: 80, protocol: 'TCP' }]
    const whole = slice('d', 'web', { ports, endpoints: [p, q, again, none] })
    const { after } = put(whole)
    const { metadata, endpoints, ...others } = sliceOfEntry(after)
    expect(others).toEqual({ addressType: whole.addressType, ports })
    expect(metadata).toEqual({ name: 'd', namespace: 'shop', labels: whole.metadata?.labels })
    expect(endpoints).toHaveLength(4)
    expect(endpoints).toEqual(expect.arrayContaining([p, q, again, none]))
    expect(sliceOfEntry(after, ['p', 'other']).endpoints).toEqual([none, p, again])
    expect(sliceOfEntry(put(slice('e', 'web', { endpoints: [] })).after).endpoints).toEqual([])
  })

  it('are distinguished by their ports, and are as we wrote them or not', () => {
    const ports = [{ name: 'http', port: 80, protocol: 'TCP' }]
    const written = put(seal(slice('d', 'web', { ports }))).after
    const { portSet, isSealed, isOurs } = put(slice('e', 'web')).after
    expect([written.isSealed, written.isOurs, isSealed, isOurs]).toEqual([true, true, false, false])
    const { ports: _, ...none } = slice('f', 'web')
    expect(portSet).not.toBe(written.portSet)
    expect(put(none).after.portSet).toBe(put(slice('g', 'web', { ports: [] })).after.portSet)
  })
})

describe('the version up to which slices are known', () => {
  let table: SliceTable
  beforeEach(() => {
    table = createSliceTable()
  })
  const a = slice('a', 'web')
  const put = (version: string) => table.put('shop/a', versioned(a, version))

  it('is that of the newest event', () => {
    put('5')
    put('3')
    expect(table.version()).toBe('5')
    table.delete('shop/a', versioned(a, '8'))
    expect(table.version()).toBe('8')
    table.delivered('11')
    expect(table.version()).toBe('11')
  })

  it('is not known during a list, and that of the list after it, each time', () => {
    for (const version of ['7', '4']) {
      expect(table.isListed()).toBe(version === '4')
      table.listing()
      put('9')
      table.delete('shop/a', versioned(a, '9'))
      expect(table.version()).toBeUndefined()
      table.listed(version)
      expect(table.version()).toBe(version)
    }
    put('6')
    expect(table.version()).toBe('6')
  })
})
