import { describe, expect, it } from 'vitest'
import { aService, SERVICE_UID } from './plan.fixtures.ts'
import { SERVICE_OWNER, SliceOwner } from './slice-owner.ts'
import type { EndpointSlice } from './types.ts'

const SELECTOR_OWNER = new SliceOwner({
  apiVersion: 'discovery.k8s.io/v1alpha1',
  kind: 'EndpointSelector',
  nameLabel: 'kubernetes.io/endpoint-selector-name',
  isController: false,
})

const owned = (owner: object, labels = {}): EndpointSlice => ({
  metadata: {
    labels,
    ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 'web', uid: SERVICE_UID, ...owner }],
  },
  addressType: 'IPv4',
  endpoints: [],
})

describe('an owner of slices', () => {
  it('owns those that refer to its uid, kind and version', () => {
    const service = aService()
    expect(SERVICE_OWNER.owns(owned({}), service)).toBe(true)
    expect(SERVICE_OWNER.owns(owned({ uid: 'older' }), service)).toBe(false)
    expect(SERVICE_OWNER.owns(owned({ kind: 'Gateway' }), service)).toBe(false)
    expect(SERVICE_OWNER.owns(owned({ apiVersion: 'v2' }), service)).toBe(false)
    expect(SERVICE_OWNER.owns({ metadata: {} }, service)).toBe(false)
  })

  it('finds its slices by a label of its kind, and no slices of others', () => {
    const slice = owned({}, { 'kubernetes.io/service-name': 'web' })
    expect([SERVICE_OWNER.nameOf(slice), SELECTOR_OWNER.nameOf(slice)]).toEqual(['web', ''])
    expect(SERVICE_OWNER.selector('web')).toBe('kubernetes.io/service-name=web')
    expect(SELECTOR_OWNER.selector()).toBe('kubernetes.io/endpoint-selector-name')
    expect([SERVICE_OWNER.isNamedBy(slice), SELECTOR_OWNER.isNamedBy(slice)]).toEqual([true, false])
    expect(SERVICE_OWNER.isNamedBy(owned({ name: 'api' }, slice.metadata?.labels))).toBe(false)
  })

  it('makes references by which its slices are its own', () => {
    const metadata = { name: 'web', uid: 'uid-web' }
    for (const owner of [SERVICE_OWNER, SELECTOR_OWNER]) {
      const slice = owned(owner.referenceTo(metadata))
      expect([SERVICE_OWNER, SELECTOR_OWNER].filter((each) => each.owns(slice, { metadata }))).toEqual([
        owner,
      ])
    }
    expect(SERVICE_OWNER.referenceTo(metadata)).toMatchObject({ controller: true, blockOwnerDeletion: true })
    expect(SELECTOR_OWNER.referenceTo(metadata)).not.toHaveProperty('blockOwnerDeletion')
  })
})
