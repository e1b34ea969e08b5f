import { describe, expect, it } from 'vitest'
import { type Endpoint, LABEL_SERVICE_NAME } from '../endpointslice/index.ts'
import { podsChanged } from './cluster-index/written-slices.ts'
import { createSliceTable, type SliceEntry } from './tables/slice-table.ts'

const endpoint = (name: string, ip: string, namespace = 'shop'): Endpoint => ({
  addresses: [ip],
  targetRef: { kind: 'Pod', namespace, name },
})
const metadata = { name: 'web-a', namespace: 'shop', labels: { [LABEL_SERVICE_NAME]: 'web' } }
const entry = (...endpoints: Endpoint[]): SliceEntry =>
  createSliceTable().put('shop/web-a', { metadata, addressType: 'IPv4', endpoints }).after

const P = endpoint('p', '10.0.0.1')
const Q = endpoint('q', '10.0.0.2')

describe('the Pods whose endpoints a write has changed', () => {
  it('are all where there was no slice', () => {
    expect(podsChanged(undefined, entry(P, Q))).toEqual(['p', 'q'])
  })

  it('are those with another endpoint, those that came and those that went, and no others', () => {
    const after = entry(P, endpoint('q', '10.0.0.9'), endpoint('r', '10.0.0.3'))
    expect(podsChanged(entry(P, Q, endpoint('s', '10.0.0.4')), after)).toEqual(['q', 'r', 's'])
    expect(podsChanged(entry(P, Q), entry(Q, P))).toEqual([])
  })

  it('are those of which one of two endpoints changed', () => {
    const again = endpoint('p', '10.0.0.5')
    expect(podsChanged(entry(P, again), entry(P))).toEqual(['p'])
    expect(podsChanged(entry(endpoint('p', '10.0.0.6'), again), entry(P, again))).toEqual(['p'])
  })

  it('are none of another namespace, and none where an endpoint is of no Pod', () => {
    const others: Endpoint[] = [endpoint('r', '10.0.0.3', 'other'), { addresses: ['10.0.0.4'] }]
    expect(podsChanged(entry(P), entry(P, ...others))).toEqual([])
    expect(podsChanged(entry(P, ...others), entry(P))).toEqual([])
  })

  it('are none where the slice has no list of endpoints', () => {
    const { after } = createSliceTable().put('shop/web-a', { metadata, addressType: 'IPv4' } as never)
    expect(podsChanged(after, after)).toEqual([])
  })
})
