import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../../endpointslice/index.ts'
import {
  ANNOTATION_SEAL,
  editBetween,
  isSealed,
  seal,
  sealedBy,
  slicesDigest,
  wasWrittenAs,
  writerName,
  writerOf,
} from '../index.ts'

const SLICE = {
  metadata: { name: 'cart-x', namespace: 'shop', labels: { team: 'till' }, annotations: { note: 'kept' } },
  addressType: 'IPv4',
  endpoints: [
    { addresses: ['10.0.0.1'], conditions: { ready: true, serving: true, terminating: false } },
    { addresses: ['10.0.0.2'], conditions: { ready: false, serving: true, terminating: true } },
  ],
  ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
} satisfies EndpointSlice

const isSameContent = (one: EndpointSlice, other: EndpointSlice) =>
  slicesDigest([one]) === slicesDigest([other])

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
    ['a label without a value', (slice) => Object.assign(slice.metadata?.labels ?? {}, { odd: '' })],
    [
      'the Service that owns it',
      (slice) => Object.assign(slice.metadata ?? {}, { ownerReferences: [{ kind: 'Service', uid: 'x' }] }),
    ],
    [
      'the Endpoints that own it',
      (slice) => Object.assign(slice.metadata ?? {}, { ownerReferences: [{ kind: 'Endpoints', uid: 'x' }] }),
    ],
    ['an endpoint that is there twice', (slice) => slice.endpoints?.push(...slice.endpoints)],
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
    [
      'an owner of another kind, which a webhook may put in',
      (s) => ({ ...s, metadata: { ...s.metadata, ownerReferences: [{ kind: 'Mesh', uid: 'x' }] as never } }),
    ],
    [
      'members that only a later API server knows',
      (s) => ({ ...s, endpoints: s.endpoints?.map((e) => ({ weight: 1, ...e })) as never }),
    ],
    ['another order of endpoints', (s) => ({ ...s, endpoints: s.endpoints?.toReversed() as never })],
  ])('survives %s', (_what, serve) => {
    expect(isSealed(serve(structuredClone(seal(SLICE))))).toBe(true)
  })

  it('survives another order of labels, owners and ports', () => {
    const labels = { team: 'till', app: 'cart' }
    const ownerReferences = ['Service', 'Endpoints'].map((kind) => ({
      apiVersion: 'v1',
      kind,
      name: 'cart',
      uid: kind,
    }))
    const ports = [...SLICE.ports, { name: 'admin', port: 81, protocol: 'TCP' }]
    const metadata = { ...SLICE.metadata, labels, ownerReferences }
    const sealed = seal({ ...SLICE, metadata, ports })
    const turned = {
      ...sealed.metadata,
      labels: Object.fromEntries(Object.entries(labels).toReversed()),
      ownerReferences: ownerReferences.toReversed(),
    }
    expect(isSealed({ ...sealed, metadata: turned, ports: ports.toReversed() })).toBe(true)
    expect(isSealed({ ...sealed, metadata: { ...turned, labels: { team: 'till' } } })).toBe(false)
  })

  it('survives another order of endpoints with one address', () => {
    const endpoints = ['a', 'b', 'c'].map((hostname) => ({ addresses: ['10.0.0.1'], hostname }))
    const sealed = seal({ ...SLICE, endpoints })
    expect(isSealed({ ...sealed, endpoints: endpoints.toReversed() })).toBe(true)
  })

  it('is the same for no endpoints, null and an empty list', () => {
    const empty = { ...SLICE, endpoints: [] }
    expect(isSealed({ ...seal(empty), endpoints: null as never })).toBe(true)
  })

  it('is another one for another Service of the same kind, whichever owned it before', () => {
    const ownedBy = (name: string, uid: string, kind = 'Service'): EndpointSlice => ({
      ...SLICE,
      metadata: { ...SLICE.metadata, ownerReferences: [{ apiVersion: 'v1', kind, name, uid }] },
    })
    const owned = ownedBy('web', 'u')
    expect(isSameContent(owned, ownedBy('web', 'u'))).toBe(true)
    for (const other of [SLICE, ownedBy('api', 'u'), ownedBy('web', 'v')])
      expect(isSameContent(owned, other)).toBe(false)
    expect(isSameContent(SLICE, ownedBy('web', 'u', 'Machine'))).toBe(true)
  })

  it('is the same for a member that is null, empty or not there', () => {
    const [first, ...others] = SLICE.endpoints
    const withHints = (hints: unknown): EndpointSlice =>
      ({ ...SLICE, endpoints: [{ ...first, hostname: null, zone: '', hints }, ...others] }) as EndpointSlice
    for (const hints of [undefined, { forZones: null }, { forZones: [] }])
      expect(isSameContent(SLICE, withHints(hints))).toBe(true)
    expect(isSameContent(SLICE, withHints({ forZones: [{ name: 'a' }] }))).toBe(false)
  })

  it('covers each member of an endpoint and of a port that anybody reads', () => {
    const read = {
      addresses: ['10.0.0.1'],
      conditions: { ready: true, serving: true, terminating: false },
      deprecatedTopology: { rack: 'a', row: 'b' },
      hints: { forNodes: [{ name: 'n1' }], forZones: [{ name: 'z1' }] },
      hostname: 'web-0',
      nodeName: 'n1',
      targetRef: {
        ...{ apiVersion: 'v1', fieldPath: 'spec', kind: 'Pod' },
        ...{ name: 'web-0', namespace: 'shop', uid: 'u' },
      },
      zone: 'z1',
    }
    const ports = { appProtocol: 'http', name: 'http', port: 80, protocol: 'TCP' }
    const of = (endpoint: object, port: object = ports): EndpointSlice =>
      ({ ...SLICE, endpoints: [endpoint], ports: [port] }) as EndpointSlice
    const group = (name: 'conditions' | 'hints' | 'targetRef'): object[] =>
      Object.keys(read[name]).map((member) => ({ ...read, [name]: { ...read[name], [member]: 'other' } }))
    const edits = [
      ...Object.keys(read).map((member) => of({ ...read, [member]: { other: 'other' } })),
      ...[...group('conditions'), ...group('hints'), ...group('targetRef')].map((endpoint) => of(endpoint)),
      ...Object.keys(ports).map((member) => of(read, { ...ports, [member]: 'other' })),
    ]
    for (const edited of edits) expect(isSameContent(of(read), edited)).toBe(false)
    expect(edits).toHaveLength(23)
    expect(isSameContent(of(read), of({ ...read, deprecatedTopology: { row: 'b', rack: 'a' } }))).toBe(true)
    expect(isSameContent(of(read), { ...of(read), ports: undefined } as never)).toBe(false)
  })

  it('counts how often an endpoint is there', () => {
    const [first, ...others] = SLICE.endpoints
    const times = (count: number) => ({ ...SLICE, endpoints: [...Array(count).fill(first), ...others] })
    expect(isSameContent(times(2), times(2))).toBe(true)
    expect(isSameContent(times(2), times(3))).toBe(false)
    expect(editBetween(times(1), times(3))).not.toBe(editBetween(times(1), times(2)))
  })

  it('tells whether we wrote the same the last time, whatever became of the slice', () => {
    const edited = { ...seal(SLICE), endpoints: [] }
    expect(wasWrittenAs(edited, { ...SLICE, endpoints: SLICE.endpoints.toReversed() })).toBe(true)
    expect(wasWrittenAs(edited, { ...SLICE, endpoints: SLICE.endpoints.slice(1) })).toBe(false)
    expect(wasWrittenAs(SLICE, SLICE)).toBe(false)
  })
})

describe('the writer in a seal', () => {
  const [one, other] = [writerName('settings', 'members'), writerName('settings', 'others')]

  it('is named by what decides its content, each part by itself', () => {
    expect(one).toMatch(/^[-\w]{8}$/)
    expect(writerName('settings', 'members')).toBe(one)
    expect(new Set([one, other, writerName('settings'), writerName('settingsmembers')]).size).toBe(4)
  })

  it('is read again, and is none where somebody edited the slice or nobody named one', () => {
    expect(writerOf(sealedBy(one)(SLICE))).toBe(one)
    expect(writerOf(seal(SLICE))).toBeUndefined()
    expect(writerOf(SLICE)).toBeUndefined()
  })

  it('changes nothing of what the seal says of the content', () => {
    const sealed = sealedBy(one)(SLICE)
    expect(isSealed(sealed)).toBe(true)
    expect(wasWrittenAs(sealed, SLICE)).toBe(true)
    expect(isSealed({ ...sealed, endpoints: [] })).toBe(false)
    expect(wasWrittenAs(sealed, { ...SLICE, endpoints: [] })).toBe(false)
  })
})

describe('an edit of a slice', () => {
  const labelled = (label: string, slice = SLICE): EndpointSlice => ({
    ...slice,
    metadata: { ...slice.metadata, labels: { ...slice.metadata?.labels, label } },
  })
  const emptied = { ...SLICE, endpoints: [] }

  it('is the same one on whatever content, and whatever value a label gets', () => {
    expect(editBetween(labelled('2', emptied), emptied)).toBe(editBetween(labelled('1'), SLICE))
  })

  it('is the same one there and back, and short enough for an annotation', () => {
    const other = { ...labelled('1'), endpoints: SLICE.endpoints.slice(1), ports: [] }
    const there = editBetween(labelled('2', SLICE), { ...other, addressType: 'IPv6' })
    expect(editBetween({ ...other, addressType: 'IPv6' }, labelled('2', SLICE))).toBe(there)
    expect(there).toHaveLength(8)
  })

  it('is another one that changes something else', () => {
    const doubled = { ...SLICE, endpoints: [...SLICE.endpoints, ...SLICE.endpoints] }
    const edits = [labelled('1'), emptied, labelled('1', emptied), doubled, { ...SLICE, ports: [] }]
    expect(new Set(edits.map((found) => editBetween(found, SLICE))).size).toBe(5)
  })
})
