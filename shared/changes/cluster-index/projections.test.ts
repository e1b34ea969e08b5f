import { beforeEach, describe, expect, it } from 'vitest'
import {
  type EndpointSelector,
  LABEL_MANAGED_BY,
  projectionOf,
  type Service,
} from '../../endpointslice/index.ts'
import { parseSettings } from '../../settings/index.ts'
import { type ClusterIndex, createClusterIndex, ENDPOINT_SELECTOR, keyText, permissionsOf } from '../index.ts'

const WEB = { cluster: 'a', namespace: 'shop', service: 'web', ownerKind: ENDPOINT_SELECTOR } as const
const SETTINGS = { managedBy: 'sliceflow.dev', leftovers: 'auto' } as const

const service = (app = 'web', uid = 'uid-1'): Service => ({
  metadata: { name: 'web', namespace: 'shop', uid },
  spec: { selector: { app }, ports: [{ name: 'http', port: 80, targetPort: 8080 }], ipFamilies: ['IPv4'] },
})

/** Makes the projection of a Service as an API server returns it, with what the definition fills in. */
function projection(of = service(), managedBy: string = SETTINGS.managedBy): EndpointSelector {
  const { metadata, spec, ...rest } = projectionOf(of) as EndpointSelector
  const ports = (spec.ports ?? []).map((port) => ({ name: '', protocol: 'TCP', ...port }))
  return {
    ...rest,
    metadata: { ...metadata, labels: { [LABEL_MANAGED_BY]: managedBy } },
    spec: { ...spec, ports },
  }
}

function indexWith(serviceProjection: boolean): ClusterIndex {
  const settings = parseSettings({ endpointSelectors: true, serviceProjection })
  return createClusterIndex('a', 'custom', undefined, { permissions: permissionsOf('a', settings) })
}

describe('projections of Services', () => {
  let index: ClusterIndex

  beforeEach(() => {
    index = indexWith(true)
    index.endpointSelectors.listing()
    index.endpointSelectors.listed()
  })

  it('are keys until they are there as they are to be, and again when either changes', () => {
    expect(index.services.put(service())).toEqual([WEB])
    expect([index.keys(), index.state(WEB, SETTINGS)]).toEqual([[WEB], 'wrong'])
    expect(index.endpointSelectors.put(projection())).toEqual([])
    expect([index.keys(), index.state(WEB, SETTINGS)]).toEqual([[WEB], 'right'])
    expect(index.services.put(service('api'))).toEqual([WEB])
    expect([...index.compareAll(SETTINGS)]).toEqual([{ ...WEB, state: 'wrong' }])
    expect(index.endpointSelectors.put(projection(service('api')))).toEqual([])
    expect(index.endpointSelectors.put(projection())).toEqual([WEB])
    expect(index.endpointSelectors.remove(projection())).toEqual([WEB])
  })

  it('are keys when their Service goes, loses its selector or is another one of its name', () => {
    const others: Service[] = [
      { ...service(), spec: {} },
      { ...service(), spec: { ...service().spec, type: 'ExternalName' } },
      service('web', 'uid-2'),
    ]
    for (const other of others) {
      index.services.put(service())
      index.endpointSelectors.put(projection())
      expect(index.services.put(other)).toEqual([WEB])
      expect(index.state(WEB, SETTINGS)).toBe('wrong')
    }
    index.services.put(service())
    expect(index.services.remove(service())).toEqual([WEB])
    expect(index.state(WEB, SETTINGS)).toBe('wrong')
  })

  it('are none of another’s name: that is said once, and no sweep repeats it', () => {
    const theirs = { ...projection(), metadata: { name: 'web', namespace: 'shop', uid: 'uid-9' } }
    index.services.put(service())
    expect(index.endpointSelectors.put(theirs)).toContainEqual(WEB)
    expect(index.state(WEB, SETTINGS)).not.toBe('wrong')
    expect(index.endpointSelectors.remove(theirs)).toContainEqual(WEB)
    expect(index.state(WEB, SETTINGS)).toBe('wrong')
  })

  it('have digests that change with the Service and with the projection', () => {
    const digest = () => index.digests().get(keyText(WEB))
    index.services.put(service())
    const missing = digest()
    index.endpointSelectors.put(projection())
    const there = digest()
    index.services.put(service('api'))
    expect(new Set([undefined, missing, there, digest()]).size).toBe(4)
  })

  it('wait until the cluster serves EndpointSelectors, and then each is a key', () => {
    index = indexWith(true)
    expect(index.services.put(service())).toEqual([])
    expect([index.keys(), index.state(WEB, SETTINGS)]).toEqual([[], 'right'])
    index.endpointSelectors.listing()
    expect(index.endpointSelectors.listed()).toEqual([WEB])
    // A list that repeats what is right says nothing.
    index.endpointSelectors.listing()
    index.endpointSelectors.put(projection())
    expect(index.endpointSelectors.listed()).toEqual([])
  })

  it('without the setting are none, and those that this deployment made are wrong', () => {
    index = indexWith(false)
    index.endpointSelectors.listing()
    index.endpointSelectors.listed()
    expect(index.services.put(service())).toEqual([])
    index.endpointSelectors.put(projection(service(), 'other.dev'))
    expect(index.state(WEB, SETTINGS)).toBe('right')
    index.endpointSelectors.put(projection())
    expect([index.keys(), index.state(WEB, SETTINGS)]).toEqual([[WEB], 'wrong'])
  })

  it('have no Pods: a Pod that they select is no change of theirs', () => {
    index.services.put(service())
    index.endpointSelectors.put(projection())
    const pod = {
      metadata: { name: 'p', namespace: 'shop', labels: { app: 'web' } },
      spec: { containers: [] },
    }
    expect(index.pods.put({ ...pod, status: { podIPs: [{ ip: '10.0.0.1' }] } })).toEqual([])
  })
})
