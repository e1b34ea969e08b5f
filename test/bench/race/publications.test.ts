import { beforeEach, describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../../../shared/endpointslice/index.ts'
import { makeSlice } from '../../support/world/index.ts'
import { createPublications, type Publications } from './publications.ts'

const slice = (name: string, ready: Readonly<Record<string, boolean>>, port = 8080): EndpointSlice =>
  makeSlice({
    name,
    ports: [{ name: 'http', port, protocol: 'TCP' }],
    endpoints: Object.entries(ready).map(([ip, isReady]) => ({
      addresses: [ip],
      conditions: { ready: isReady },
    })),
  })

describe('what slices publish', () => {
  let told: string[]
  let publications: Publications
  beforeEach(() => {
    told = []
    publications = createPublications((address, value) => told.push(`${address}: ${value}`))
  })

  it('is told address by address, and only of those that changed', () => {
    publications.put(slice('s', { '10.0.0.1': true, '10.0.0.2': true }))
    told = []
    publications.put(slice('s', { '10.0.0.1': false, '10.0.0.2': true }))
    expect(told).toEqual(['default/web 10.0.0.1: not ready http:8080/TCP'])
  })

  it('is of the EndpointSelector that a slice without a Service names', () => {
    const { metadata, ...rest } = slice('s', { '10.0.0.1': true })
    const labels = { 'kubernetes.io/endpoint-selector-name': 'pool' }
    publications.put({ ...rest, metadata: { ...metadata, labels } })
    expect(told).toEqual(['default/pool 10.0.0.1: ready http:8080/TCP'])
  })

  it('loses the addresses that left a slice, and those of a slice that is gone', () => {
    publications.put(slice('s', { '10.0.0.1': true, '10.0.0.2': true }))
    told = []
    publications.put(slice('s', { '10.0.0.2': true }))
    publications.remove(slice('s', {}))
    expect(told).toEqual(['default/web 10.0.0.1: undefined', 'default/web 10.0.0.2: undefined'])
  })

  it('is not gone while an address moves from one slice to another', () => {
    publications.put(slice('from', { '10.0.0.1': true }))
    publications.put(slice('to', { '10.0.0.1': true }))
    told = []
    publications.remove(slice('from', {}))
    expect(told).toEqual(['default/web 10.0.0.1: ready http:8080/TCP'])
  })

  it('is neither the one nor the other while two slices say different things of an address', () => {
    publications.put(slice('a', { '10.0.0.1': true }))
    publications.put(slice('b', { '10.0.0.1': true }, 9090))
    expect(told.at(-1)).toBe('default/web 10.0.0.1: ready http:8080/TCP and ready http:9090/TCP')
  })
})
