import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../endpointslice/index.ts'
import { ANNOTATION_SEAL, isSealed, seal, sealForDeletion } from './index.ts'
import { isSealedForDeletion } from './seal.ts'

const SLICE: EndpointSlice = {
  metadata: { name: 'cart-x', namespace: 'shop', labels: { team: 'till' }, annotations: { note: 'kept' } },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true, serving: true, terminating: false } }],
  ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
}

describe('the seal of a slice', () => {
  it('tells that the slice is as we wrote it', () => {
    expect(isSealed(seal(SLICE))).toBe(true)
    expect(isSealed(SLICE)).toBe(false)
  })

  it('leaves the slice itself and its other annotations alone', () => {
    const before = structuredClone(SLICE)
    expect(seal(SLICE).metadata?.annotations).toEqual({ note: 'kept', [ANNOTATION_SEAL]: expect.any(String) })
    expect(SLICE).toEqual(before)
  })

  it.each<[string, (slice: EndpointSlice) => void]>([
    ['an endpoint', (slice) => slice.endpoints?.pop()],
    ['a condition', (slice) => Object.assign(slice.endpoints?.[0]?.conditions ?? {}, { ready: false })],
    ['a port', (slice) => slice.ports?.push({ name: 'more', port: 81 })],
    ['a label', (slice) => Object.assign(slice.metadata?.labels ?? {}, { team: 'other' })],
    ['an owner', (slice) => Object.assign(slice.metadata ?? {}, { ownerReferences: [{ uid: 'x' }] })],
    ['the seal', (slice) => Object.assign(slice.metadata?.annotations ?? {}, { [ANNOTATION_SEAL]: 'x' })],
  ])('is broken by an edit of %s', (_what, edit) => {
    const slice = structuredClone(seal(SLICE))
    edit(slice)
    expect(isSealed(slice)).toBe(false)
  })

  it.each<[string, (slice: EndpointSlice) => EndpointSlice]>([
    [
      'versions and managed fields',
      (s) => ({ ...s, metadata: { ...s.metadata, resourceVersion: '7', managedFields: [{}] } }),
    ],
    [
      'a foreign annotation',
      (s) => ({ ...s, metadata: { ...s.metadata, annotations: { ...s.metadata?.annotations, more: 'x' } } }),
    ],
    [
      'the order of members',
      (s) => ({ ports: s.ports, endpoints: s.endpoints, metadata: s.metadata, addressType: s.addressType }),
    ],
    [
      'empty members that a server leaves out or adds',
      (s) => ({ ...s, ports: [{ appProtocol: '', ...s.ports?.[0] }] }),
    ],
  ])('survives %s', (_what, serve) => {
    expect(isSealed(serve(structuredClone(seal(SLICE))))).toBe(true)
  })

  it('is the same for no endpoints, null and an empty list', () => {
    const empty = { ...SLICE, endpoints: [] }
    expect(isSealed({ ...seal(empty), endpoints: null as never })).toBe(true)
  })

  it('marks a slice that we delete, and empties it', () => {
    const marked = sealForDeletion(SLICE)
    expect(isSealedForDeletion(marked)).toBe(true)
    expect(isSealed(marked)).toBe(true)
    expect(marked.endpoints).toEqual([])
    expect(isSealedForDeletion(seal(SLICE))).toBe(false)
  })
})
