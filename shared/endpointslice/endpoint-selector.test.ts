import { describe, expect, it } from 'vitest'
import {
  type EndpointSelector,
  type EndpointSlice,
  objectFault,
  type Pod,
  plan,
  projectedUid,
  projectionOf,
  type Service,
} from './index.ts'
import { applied, NAMESPACE, NODES, podsNumbered, writes } from './plan.fixtures.ts'

const selector = (spec: Partial<EndpointSelector['spec']> = {}, labels = {}): EndpointSelector => ({
  apiVersion: 'discovery.k8s.io/v1alpha1',
  metadata: { name: 'web', namespace: NAMESPACE, uid: 'uid-web', labels },
  spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
})
const planned = (
  endpointSelector: EndpointSelector,
  slices: readonly EndpointSlice[] = [],
  pods: readonly Pod[] = podsNumbered(3),
) => plan({ endpointSelector, pods, nodes: NODES, slices }, { comparedLabels: 'all' })

describe('a plan for an EndpointSelector', () => {
  it('takes over the slices of one in another API as they stand, and of none of an older uid', () => {
    const draft = { ...selector(), apiVersion: 'example.org/v1' }
    const slices = applied([], planned({ ...draft, metadata: { ...draft.metadata, uid: 'uid-draft' } }))
    const { update, ...others } = planned(selector(), slices)
    expect(writes({ ...others, update })).toEqual([0, 1, 0])
    const [before] = slices
    const [after] = update
    expect(after).toEqual({
      ...before,
      metadata: {
        ...before?.metadata,
        ownerReferences: [
          expect.objectContaining({
            apiVersion: 'discovery.k8s.io/v1alpha1',
            uid: 'uid-web',
            controller: true,
          }),
        ],
      },
    })
    expect(writes(planned(selector(), applied(slices, planned(selector(), slices))))).toEqual([0, 0, 0])
    const older = planned({ ...selector(), metadata: { ...selector().metadata, uid: 'uid-older' } })
    expect(writes(planned(selector(), applied([], older)))).toEqual([1, 0, 1])
  })

  it('takes slices over together with a change of their Pods', () => {
    const draft = { ...selector(), apiVersion: 'example.org/v1' }
    const slices = applied([], planned(draft))
    const [slice] = planned(selector(), slices, podsNumbered(2)).update
    expect(slice?.endpoints).toHaveLength(2)
    expect(slice?.metadata?.ownerReferences).toMatchObject([{ apiVersion: 'discovery.k8s.io/v1alpha1' }])
  })

  it('has no slice of a family without Pods, nor any without Pods at all', () => {
    const slices = applied([], planned(selector()))
    expect(new Set(slices.map(({ addressType }) => addressType))).toEqual(new Set(['IPv4']))
    expect(planned(selector(), [], []).create).toEqual([])
    expect(planned(selector(), slices, []).delete).toEqual(slices)
    expect(planned(selector({ ipFamilies: ['IPv6'] }), slices).delete).toEqual(slices)
  })

  it('takes no label for its own that names another owner', () => {
    const reserved = {
      'kubernetes.io/service-name': 'db',
      'kubernetes.io/endpoint-selector-name': 'other',
      'service.kubernetes.io/headless': 'x',
    }
    expect(planned(selector({}, { ...reserved, team: 'shop' })).create[0]?.metadata?.labels).toEqual({
      team: 'shop',
      'kubernetes.io/endpoint-selector-name': 'web',
      'service.kubernetes.io/headless': '',
      'endpointslice.kubernetes.io/managed-by': 'sliceflow.dev',
    })
  })

  it('has the ports that are asked for, and none otherwise', () => {
    const ports = [{ name: 'dns', protocol: 'UDP', targetPort: 53, appProtocol: 'x' }, { targetPort: 80 }]
    expect(planned(selector({ ports })).create[0]?.ports).toEqual([
      { name: 'dns', protocol: 'UDP', port: 53, appProtocol: 'x' },
      { name: '', protocol: 'TCP', port: 80 },
    ])
    expect(planned(selector()).create[0]?.ports).toEqual([])
  })

  it.each([
    ['spec', { spec: undefined }],
    ['spec.selector', { spec: {} }],
    ['spec.selector', { spec: { selector: {} } }],
    ['spec.selector.matchLabels["app"]', { spec: { selector: { matchLabels: { app: 1 } } } }],
    ['spec.selector.matchExpressions[0].key', { spec: { selector: { matchExpressions: [{}] } } }],
    [
      'spec.selector.matchExpressions[0].values',
      { spec: { selector: { matchExpressions: [{ key: 'app', operator: 'Exists', values: ['x'] }] } } },
    ],
    ['spec.ports', { spec: { selector: { matchLabels: { app: 'web' } }, ports: {} } }],
    ['spec.ports[0].targetPort', { spec: { selector: { matchLabels: { app: 'web' } }, ports: [{}] } }],
    ['spec.ipFamilies[0]', { spec: { selector: { matchLabels: { app: 'web' } }, ipFamilies: [4] } }],
  ])('is empty with a fault at %s, which it says', (path, fault) => {
    const odd = { ...selector(), ...fault } as unknown as EndpointSelector
    const { create, skipped } = planned(odd)
    expect(create).toEqual([])
    expect(skipped).toMatchObject([{ kind: 'EndpointSelector', name: 'web', reason: 'Malformed' }])
    expect(skipped[0]?.message.startsWith(path)).toBe(true)
    expect(objectFault('EndpointSelector', odd)).toBe(skipped[0]?.message)
  })
})

describe('the projection of a Service', () => {
  const service: Service = {
    metadata: { name: 'web', namespace: NAMESPACE, uid: 'uid-1', labels: { team: 'a' } },
    spec: {
      selector: { app: 'web' },
      ipFamilies: ['IPv6', 'IPv4'],
      ports: [
        { name: 'http', port: 80, targetPort: 'web', appProtocol: 'kubernetes.io/h2c' },
        { name: 'dns', protocol: 'UDP', port: 53 },
      ],
    },
  }

  it('has its selector, families and ports, a named target as it is, and its uid as controller', () => {
    const projection = projectionOf(service)
    expect(projection).toEqual({
      kind: 'EndpointSelector',
      metadata: {
        name: 'web',
        namespace: NAMESPACE,
        ownerReferences: [
          {
            apiVersion: 'v1',
            kind: 'Service',
            name: 'web',
            uid: 'uid-1',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        ipFamilies: ['IPv6', 'IPv4'],
        ports: [
          { name: 'http', protocol: 'TCP', targetPort: 'web', appProtocol: 'kubernetes.io/h2c' },
          { name: 'dns', protocol: 'UDP', targetPort: 53 },
        ],
      },
    })
    expect(projectedUid(projection ?? {})).toBe('uid-1')
  })

  it('is none without a selector, and of an ExternalName', () => {
    for (const spec of [{}, { selector: {} }, { ...service.spec, type: 'ExternalName' }])
      expect(projectionOf({ ...service, spec })).toBeUndefined()
  })

  it.each([
    ['has another owner', { kind: 'ConfigMap' }],
    ['has a Service of another name as its controller', { name: 'pool' }],
    ['has the Service as an owner that is not its controller', { controller: false }],
  ])('is no EndpointSelector that %s', (_, difference) => {
    const [owner] = projectionOf(service)?.metadata?.ownerReferences ?? []
    const ownerReferences = [{ ...owner, ...difference }] as never
    expect(projectedUid({ metadata: { name: 'web', ownerReferences } })).toBeUndefined()
  })
})
