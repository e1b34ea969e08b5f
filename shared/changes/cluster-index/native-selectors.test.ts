import { beforeEach, describe, expect, it } from 'vitest'
import {
  type EndpointSelector,
  type EndpointSlice,
  LABEL_ENDPOINT_SELECTOR_NAME,
  type Pod,
  plan,
} from '../../endpointslice/index.ts'
import { parseSettings } from '../../settings/index.ts'
import { type ClusterIndex, createClusterIndex, ENDPOINT_SELECTOR, permissionsOf, seal } from '../index.ts'

const WEB = { cluster: 'a', namespace: 'shop', service: 'web', ownerKind: ENDPOINT_SELECTOR } as const
const SETTINGS = { managedBy: 'sliceflow.dev', leftovers: 'auto' } as const
const NODE = { metadata: { name: 'n1' } }
const POD: Pod = {
  metadata: { name: 'p1', namespace: 'shop', uid: 'uid-1', labels: { app: 'web' } },
  spec: { containers: [], nodeName: 'n1' },
  status: { podIPs: [{ ip: '10.0.0.1' }], conditions: [{ type: 'Ready', status: 'True' }] },
}
const selector = (apiVersion: string, app = 'web'): EndpointSelector => ({
  apiVersion,
  kind: 'EndpointSelector',
  metadata: { name: 'web', namespace: 'shop', uid: `uid ${apiVersion}` },
  spec: { selector: { matchLabels: { app } } },
})
const OWN = selector('sliceflow.dev/v1alpha1')
const NATIVE = selector('discovery.k8s.io/v1alpha1')
/** A list of an API server's own kinds does not say what they are. */
const { apiVersion: _, kind: _kind, ...LISTED } = NATIVE

const foreign = (name: string, owner = NATIVE, selector = 'web'): EndpointSlice =>
  ({
    metadata: {
      name,
      namespace: 'shop',
      labels: { [LABEL_ENDPOINT_SELECTOR_NAME]: selector },
      ownerReferences: [
        {
          apiVersion: owner.apiVersion ?? '',
          kind: 'EndpointSelector',
          name: selector,
          uid: owner.metadata?.uid ?? '',
        },
      ],
    },
  }) as Partial<EndpointSlice> as EndpointSlice

/** Plans with the slices that there are, and returns the one slice that there is to be. */
function sliceFor(endpointSelector: EndpointSelector, slices: readonly EndpointSlice[] = []): EndpointSlice {
  const { create, update } = plan(
    { endpointSelector, pods: [POD], nodes: [NODE], slices },
    { managedBy: SETTINGS.managedBy },
  )
  const [slice] = [...create, ...update]
  if (slice === undefined) throw new Error('no slice was planned')
  return seal(slice)
}

describe('an EndpointSelector of the API server', () => {
  let index: ClusterIndex

  beforeEach(() => {
    const permissions = permissionsOf('a', parseSettings({ endpointSelectors: true }))
    index = createClusterIndex('a', 'custom', undefined, { permissions })
    index.nodes.put(NODE)
    index.pods.put(POD)
  })

  it('may have a name with dots', () => {
    const service = 'web.example.com'
    const named = { ...NATIVE, metadata: { ...NATIVE.metadata, name: service } }
    const [slice, other] = [sliceFor(named), foreign('web-x', NATIVE, service)]
    expect(index.nativeEndpointSelectors.put(named)).toMatchObject([{ ...WEB, service }])
    expect(index.foreignSlices.put(other)).toEqual([{ ...WEB, service }])
    expect(index.foreignSlices.remove(other)).toEqual([{ ...WEB, service }])
    index.slices.put(slice)
    expect(index.state({ ...WEB, service }, SETTINGS)).toBe('right')
    expect(index.slices.remove(slice)).toMatchObject([{ ...WEB, service }])
  })

  it('counts, and not ours of its name', () => {
    expect(index.endpointSelectors.put(OWN)).toMatchObject([WEB])
    index.slices.put(sliceFor(OWN))
    expect(index.state(WEB, SETTINGS)).toBe('right')
    expect(index.nativeEndpointSelectors.put(LISTED)).toMatchObject([WEB])
    // Until its slices are the new one's.
    expect(index.state(WEB, SETTINGS)).toBe('wrong')
    expect(index.keys()).toEqual([WEB])
    index.slices.put(sliceFor(NATIVE, [sliceFor(OWN)]))
    expect(index.state(WEB, SETTINGS)).toBe('right')
    expect(index.pods.remove(POD)).toMatchObject([WEB])
    expect(index.nativeEndpointSelectors.remove(LISTED)).toMatchObject([WEB])
    index.pods.put(POD)
    expect(index.state(WEB, SETTINGS)).toBe('wrong')
  })

  it('has a selector of its own, and Pods of ours of its name are none of its', () => {
    index.endpointSelectors.put(OWN)
    index.nativeEndpointSelectors.put(selector('discovery.k8s.io/v1alpha1', 'api'))
    expect(index.pods.remove(POD)).toEqual([])
    index.nativeEndpointSelectors.remove(NATIVE)
    expect(index.pods.put(POD)).toMatchObject([WEB])
  })

  it('is left to whoever else publishes it, and so is ours of its name', () => {
    index.endpointSelectors.put(OWN)
    index.nativeEndpointSelectors.put(LISTED)
    expect(index.foreignSlices.put(foreign('web-x'))).toEqual([WEB])
    // Nothing more is said of what it writes.
    expect(index.foreignSlices.put(foreign('web-x'))).toEqual([])
    expect(index.foreignSlices.put(foreign('web-y'))).toEqual([])
    expect(index.pods.remove(POD)).toEqual([])
    expect(index.keys()).toEqual([])
    expect(index.state(WEB, SETTINGS)).toBe('right')
    index.slices.put(sliceFor(NATIVE))
    expect(index.state(WEB, SETTINGS)).toBe('wrong')
  })

  it('is taken up again once nobody else has slices of it', () => {
    index.nativeEndpointSelectors.put(LISTED)
    index.foreignSlices.put(foreign('web-x'))
    index.foreignSlices.put(foreign('web-y'))
    expect(index.foreignSlices.remove(foreign('web-x'))).toEqual([])
    expect(index.foreignSlices.remove(foreign('web-y'))).toEqual([WEB])
    expect(index.pods.remove(POD)).toMatchObject([WEB])
    index.foreignSlices.put(foreign('web-x'))
    index.foreignSlices.listing()
    expect(index.foreignSlices.listed()).toEqual([WEB])
    index.foreignSlices.put(foreign('web-x'))
    // Somebody gives it to another owner.
    expect(index.foreignSlices.put(foreign('web-x', OWN))).toEqual([WEB])
  })

  it('that Kubernetes projects from a Service has no slices, and ours of its name counts', () => {
    const owner = { apiVersion: 'v1', kind: 'Service', name: 'web', uid: 'uid-1', controller: true }
    const projection = { ...LISTED, metadata: { ...LISTED.metadata, ownerReferences: [owner] } }
    expect(index.nativeEndpointSelectors.put(projection)).toEqual([])
    expect(index.keys()).toEqual([])
    index.slices.put(sliceFor(NATIVE))
    expect(index.state(WEB, SETTINGS)).toBe('wrong')
    expect(index.endpointSelectors.put(OWN)).toMatchObject([WEB])
    index.slices.put(sliceFor(OWN, [sliceFor(NATIVE)]))
    expect(index.state(WEB, SETTINGS)).toBe('right')
    // Its owner is taken away: somebody's own from then on.
    expect(index.nativeEndpointSelectors.put(LISTED)).toMatchObject([WEB])
    expect(index.state(WEB, SETTINGS)).toBe('wrong')
  })

  it('is not left to a controller of another of its name', () => {
    index.nativeEndpointSelectors.put(LISTED)
    expect(index.foreignSlices.put(foreign('web-x', OWN))).toEqual([])
    expect(index.pods.remove(POD)).toMatchObject([WEB])
    const odd = foreign('web-y')
    expect(
      index.foreignSlices.put({ ...odd, metadata: { ...odd.metadata, ownerReferences: 7 as never } }),
    ).toEqual([])
  })
})
