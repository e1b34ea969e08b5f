import { beforeEach, describe, expect, it } from 'vitest'
import {
  ANNOTATION_LEADER_ELECTION,
  type EndpointSlice,
  type Endpoints,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
  type Service,
} from '../../endpointslice/index.ts'
import { parseSettings } from '../../settings/index.ts'
import { type ClusterIndex, createClusterIndex, keyText, permissionsOf, seal } from '../index.ts'
import { services } from './cluster-index.fixtures.ts'

const SETTINGS = { managedBy: 'sliceflow.dev', leftovers: 'auto' } as const
const WEB = { cluster: 'a', namespace: 'shop', service: 'web' }

const indexWith = (mirrorEndpoints: boolean): ClusterIndex =>
  createClusterIndex('a', 'custom', undefined, {
    permissions: permissionsOf('a', parseSettings({ mirrorEndpoints })),
  })
const service = (spec: Service['spec'] = {}): Service => ({
  metadata: { name: 'web', namespace: 'shop', uid: 'uid-web' },
  spec,
})
/** Makes Endpoints as a watch of metadata brings them. */
const endpoints = (resourceVersion: string, more: Endpoints['metadata'] = {}): Endpoints => ({
  metadata: { name: 'web', namespace: 'shop', uid: 'uid-endpoints', resourceVersion, ...more },
})
const mirror = (kind = 'Endpoints'): EndpointSlice =>
  seal({
    metadata: {
      name: `web-${kind.toLowerCase()}`,
      namespace: 'shop',
      resourceVersion: '7',
      labels: { [LABEL_SERVICE_NAME]: 'web', [LABEL_MANAGED_BY]: 'sliceflow.dev' },
      ownerReferences: [{ apiVersion: 'v1', kind, name: 'web', uid: 'uid' }],
    },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'] }],
  })

describe('Endpoints that a cluster has', () => {
  let index: ClusterIndex
  beforeEach(() => {
    index = indexWith(true)
    index.services.put(service())
  })

  it('are of the Service of their name, whenever they change and when they go', () => {
    expect(services(index.endpoints.put(endpoints('1')))).toEqual(['web'])
    expect(index.endpoints.put(endpoints('1'))).toEqual([])
    expect(services(index.endpoints.put(endpoints('2')))).toEqual(['web'])
    expect(services(index.endpoints.remove(endpoints('3')))).toEqual(['web'])
    expect(index.endpoints.remove(endpoints('3'))).toEqual([])
    expect(index.size()).toMatchObject({ endpoints: 0 })
  })

  it('are gone when a list does not name them any more', () => {
    index.endpoints.put(endpoints('1'))
    index.endpoints.listing()
    expect(services(index.endpoints.listed('5'))).toEqual(['web'])
  })

  it('mean nothing without the setting, nor with a selector, nor without a Service', () => {
    const off = indexWith(false)
    off.services.put(service())
    expect(off.endpoints.put(endpoints('1'))).toEqual([])
    expect(off.keys()).toEqual([])
    index.services.put(service({ selector: { app: 'web' } }))
    expect(index.endpoints.put(endpoints('1'))).toEqual([])
    index.services.remove(service())
    expect(index.endpoints.put(endpoints('2'))).toEqual([])
    expect(index.keys()).toEqual([])
  })

  it('are reconciled when their Service comes after them', () => {
    index.services.remove(service())
    index.endpoints.put(endpoints('1'))
    expect(services(index.services.put(service()))).toEqual(['web'])
    expect(services(index.keys())).toEqual(['web'])
  })

  it('are not reconciled each time that a lock is renewed, but when it becomes one or ceases to be', () => {
    const lock = (version: string) =>
      endpoints(version, { annotations: { [ANNOTATION_LEADER_ELECTION]: '{}' } })
    index.endpoints.put(endpoints('1'))
    expect(services(index.endpoints.put(lock('2')))).toEqual(['web'])
    expect(index.endpoints.put(lock('3'))).toEqual([])
    const before = index.digests()
    index.endpoints.put(lock('4'))
    expect(index.digests()).toEqual(before)
    expect(services(index.endpoints.put(endpoints('5')))).toEqual(['web'])
  })

  it('enter the digest of their key, so that a change is noticed that came while nobody watched', () => {
    index.endpoints.put(endpoints('1'))
    const before = index.digests().get(keyText(WEB))
    expect(before).toBeDefined()
    index.endpoints.put(endpoints('2'))
    expect(index.digests().get(keyText(WEB))).not.toBe(before)
    index.endpoints.remove(endpoints('2'))
    expect(index.digests().has(keyText(WEB))).toBe(false)
  })

  it('leave the state unknown, and none where there are neither they nor slices', () => {
    const state = () => index.state(WEB, SETTINGS)
    expect(state()).toBe('right')
    index.endpoints.put(endpoints('1'))
    expect(state()).toBe('unknown')
    index.slices.put(mirror())
    index.endpoints.remove(endpoints('1'))
    expect(state()).toBe('unknown')
    index.slices.put(mirror('Service'))
    expect(state()).toBe('wrong')
  })

  it('have their slice verified when somebody deletes it, and not when it goes with them', () => {
    index.endpoints.put(endpoints('1'))
    index.slices.put(mirror())
    expect(services(index.slices.remove({ ...mirror(), endpoints: [] }))).toEqual(['web'])
    index.slices.put(mirror())
    index.endpoints.remove(endpoints('1'))
    expect(index.slices.remove({ ...mirror(), endpoints: [] })).toEqual([])
  })

  it('are not sent again for what a function has written of them', () => {
    index.endpoints.put(endpoints('1'))
    index.slices.listed('1')
    expect(index.slices.put(mirror())).toEqual([])
    expect(index.verify(WEB)).toEqual([])
    index.slices.put(mirror('Service'))
    expect(services(index.verify(WEB))).toEqual(['web'])
  })

  it('that are not of the form of the API count as absent', () => {
    index.endpoints.put(endpoints('1'))
    const odd = endpoints('2', { annotations: 'odd' as never })
    expect(services(index.endpoints.put(odd))).toEqual(['web'])
    expect(index.size()).toMatchObject({ endpoints: 0 })
  })
})
