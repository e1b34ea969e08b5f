import { describe, expect, it } from 'vitest'
import type { EndpointSlice, Node, Pod, Service } from '../../../shared/endpointslice/index.ts'
import { type CheckInput, checkSlices } from './check-slices.ts'
import { makeNode, makePod, makePodStatus, makeService, makeSlice } from './factories.ts'
import { checkUntouched, snapshotSlices } from './foreign-slices.ts'

const MANAGER = 'sliceflow.dev'

function service(spec: Partial<NonNullable<Service['spec']>> = {}): Service {
  const made = makeService({
    labels: { team: 'shop' },
    spec: { clusterIP: '10.0.0.1', ipFamilies: ['IPv4'], ...spec },
  })
  return { ...made, metadata: { ...made.metadata, uid: 'service-uid' } }
}

function pod(overrides: { ready?: boolean; status?: Pod['status']; deleted?: boolean } = {}): Pod {
  const { ready = true, status = makePodStatus(['10.1.0.1', 'fd00::1'], { ready }), deleted } = overrides
  const made = makePod({ name: 'web-1', status })
  const deletion = deleted && { deletionTimestamp: '2026-01-01T00:00:00Z' }
  return { ...made, metadata: { ...made.metadata, uid: 'pod-uid', ...deletion } }
}

/** Makes the slice that is right for `service()`, `pod()` and a node in zone-a. */
function rightSlice(change: (slice: EndpointSlice) => void = () => {}): EndpointSlice {
  const slice = makeSlice({
    name: 'web-1',
    managedBy: MANAGER,
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    endpoints: [
      {
        addresses: ['10.1.0.1'],
        conditions: { ready: true, serving: true, terminating: false },
        targetRef: { kind: 'Pod', namespace: 'default', name: 'web-1', uid: 'pod-uid' },
        nodeName: 'node-1',
        zone: 'zone-a',
      },
    ],
  })
  slice.metadata = {
    ...slice.metadata,
    labels: { ...slice.metadata?.labels, team: 'shop' },
    ownerReferences: [
      { apiVersion: 'v1', kind: 'Service', name: 'web', uid: 'service-uid', controller: true },
    ],
  }
  change(slice)
  return slice
}

const check = (input: Partial<CheckInput>): string[] =>
  checkSlices({
    services: [service()],
    pods: [pod()],
    nodes: [makeNode()],
    slices: [rightSlice()],
    mode: 'replace',
    managedBy: MANAGER,
    ...input,
  })

describe('the independent check of slices', () => {
  it('finds nothing where everything is right', () => {
    expect(check({})).toEqual([])
  })

  const twice = rightSlice((slice) => Object.assign(slice.metadata ?? {}, { name: 'web-2' }))
  const wrong: [string, Partial<CheckInput>, RegExp][] = [
    ['a missing endpoint', { slices: [] }, /^default\/web: IPv4 endpoint 10\.1\.0\.1 .* is missing$/],
    ['an endpoint in two slices', { slices: [rightSlice(), twice] }, /in slice web-2 is there twice$/],
    [
      'readiness',
      { pods: [pod({ ready: false })] },
      /is .*ready=true serving=true.* should be .*ready=false/,
    ],
    [
      'a terminating pod',
      { pods: [pod({ deleted: true })] },
      /should be .*ready=false serving=true terminating=true/,
    ],
    ['a zone', { nodes: [makeNode({ zone: 'zone-b' })] }, /should be .*zone=zone-b/],
    ['an address', { pods: [pod({ status: makePodStatus(['10.1.0.2']) })] }, /10\.1\.0\.2 .* is missing/],
    [
      'a label',
      { services: [{ ...service(), metadata: { ...service().metadata, labels: {} } }] },
      /label team=shop/,
    ],
    [
      'the headless label',
      { services: [service({ clusterIP: 'None' })] },
      /service.kubernetes.io\/headless=undefined/,
    ],
    [
      'a port',
      { services: [service({ ports: [{ name: 'http', port: 80, targetPort: 9090 }] })] },
      /http:9090/,
    ],
    [
      'an address type',
      { services: [service({ ipFamilies: ['IPv6'] })] },
      /is IPv4, which the Service is not/,
    ],
    ['a size', { maxEndpointsPerSlice: 0 }, /has 1 endpoints, more than 0/],
    [
      'an owner',
      { slices: [rightSlice((slice) => Object.assign(slice.metadata ?? {}, { ownerReferences: [] }))] },
      /not owned/,
    ],
    ['a Service that is gone', { services: [] }, /slice default\/web-1 is of a Service that does not exist/],
  ]
  it.each(wrong)('finds what is wrong with %s', (_, input, expected) => {
    expect(check(input).join('\n')).toMatch(expected)
  })

  const without: [string, Partial<CheckInput>][] = [
    ['failed', { pods: [pod({ status: makePodStatus(['10.1.0.1'], { phase: 'Failed' }) })] }],
    ['without an address', { pods: [pod({ status: makePodStatus([]) })] }],
    ['on a node that does not exist', { nodes: [] as Node[] }],
    ['not selected', { services: [service({ selector: { app: 'other' } })] }],
  ]
  it.each(without)('publishes no pod that is %s', (_, input) => {
    expect(check(input)).toEqual([
      'default/web: 0 empty IPv4 slices, should be 1',
      expect.stringMatching(/should not be there$/),
    ])
  })

  it('wants everything published where the Service says so', () => {
    const published = rightSlice((slice) => {
      Object.assign(slice.endpoints?.[0] ?? {}, {
        conditions: { ready: true, serving: false, terminating: true },
        zone: undefined,
      })
    })
    const input = {
      services: [service({ publishNotReadyAddresses: true })],
      pods: [pod({ ready: false, deleted: true })],
      nodes: [],
    }
    expect(check({ ...input, slices: [published] })).toEqual([])
  })

  it('wants one placeholder for an address type without endpoints, and no empty slice beside others', () => {
    const placeholder = rightSlice((slice) => Object.assign(slice, { endpoints: null, ports: null }))
    expect(check({ pods: [], slices: [placeholder] })).toEqual([])
    const renamed = { ...placeholder, metadata: { ...placeholder.metadata, name: 'web-2' } }
    expect(check({ slices: [rightSlice(), renamed] })).toEqual([
      'default/web: slice web-2 is empty and no placeholder of IPv4',
    ])
  })

  it('goes by the annotation in custom mode, and only on Services without a selector', () => {
    const annotated = (selector: string): Service => {
      const made = service({ selector: undefined })
      return { ...made, metadata: { ...made.metadata, annotations: { 'sliceflow.dev/selector': selector } } }
    }
    for (const selector of ['app=web', 'app in (a, web), !gone', 'app!=a,app notin (b,c),app']) {
      expect(check({ mode: 'custom', services: [annotated(selector)] })).toEqual([])
    }
    expect(check({ mode: 'custom', services: [annotated('app=web,tier')] })).toHaveLength(2)
    expect(check({ mode: 'custom', services: [service()], slices: [] })).toEqual([])
    expect(check({ mode: 'custom' })).toEqual(["default/web: slice web-1 is not this controller's to make"])
  })

  it('leaves slices of others out of the comparison', () => {
    expect(
      check({ slices: [rightSlice(), makeSlice(), makeSlice({ name: 'by-hand', managedBy: null })] }),
    ).toEqual([])
  })
})

describe('the check of foreign slices', () => {
  const version = (resourceVersion: string): EndpointSlice => {
    const slice = makeSlice({ name: 'foreign' })
    return { ...slice, metadata: { ...slice.metadata, uid: 'u', resourceVersion } }
  }

  it('tells slices that were written or deleted, and no others', () => {
    const snapshot = snapshotSlices([version('1')])
    expect(checkUntouched(snapshot, [version('1'), makeSlice()])).toEqual([])
    expect(checkUntouched(snapshot, [version('2')])).toEqual([
      'foreign slice default/foreign was touched: uid u at resourceVersion 1 is now uid u at resourceVersion 2',
    ])
    expect(checkUntouched(snapshot, [])).toEqual(['foreign slice default/foreign was deleted'])
  })
})
