import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Service } from '../../endpointslice/index.ts'
import type { ServiceImport } from '../resources.ts'
import { derivedServiceOf, derivedServiceUpdate, mustBeReplaced } from './derived-service.ts'

const owner: ServiceImport = { metadata: { name: 'web', namespace: 'shop', uid: 'import-uid' } }
const wanted = derivedServiceOf('default', owner, { ports: [{ name: 'http', port: 80, protocol: 'TCP' }] })
const addresses = { clusterIP: '10.96.0.7', clusterIPs: ['10.96.0.7'], ipFamilies: ['IPv4'] }
/** As an API server gives it back. */
const existing: Service = {
  ...wanted,
  metadata: { ...wanted.metadata, uid: 'u', resourceVersion: '7' },
  spec: {
    ...wanted.spec,
    ...addresses,
    ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 80 }],
  },
}

type Spec = NonNullable<Service['spec']>
const SPEC_EDITS: readonly Partial<Spec>[] = [
  { type: 'ExternalName', externalName: 'evil.example' },
  { type: 'NodePort' },
  { type: 'LoadBalancer' },
  { externalIPs: ['192.0.2.1'] },
  { publishNotReadyAddresses: true },
  { ipFamilyPolicy: 'SingleStack' },
  { sessionAffinity: 'ClientIP' },
  { internalTrafficPolicy: 'Local' },
  { trafficDistribution: 'PreferClose' },
  { ports: [{ name: 'http', port: 81, protocol: 'TCP', nodePort: 30_081 }] },
]
const METADATA_EDITS: readonly NonNullable<Service['metadata']>[] = [
  { labels: {} },
  { labels: { ...wanted.metadata?.labels, 'service.kubernetes.io/service-proxy-name': 'other' } },
  { annotations: { 'sliceflow.dev/selector': 'app=evil' } },
  { ownerReferences: [] },
]

describe('derivedServiceUpdate', () => {
  it('changes nothing in what it made itself, nor labels and annotations of others', () => {
    expect(derivedServiceUpdate(existing, wanted)).toBeUndefined()
    const labels = { ...wanted.metadata?.labels, team: 'a' }
    const metadata = { ...existing.metadata, labels, annotations: { team: 'a' } }
    expect(derivedServiceUpdate({ ...existing, metadata }, wanted)).toBeUndefined()
  })

  it('resets whatever somebody edited, and keeps the addresses', () => {
    fc.assert(
      fc.property(fc.subarray([...SPEC_EDITS]), fc.subarray([...METADATA_EDITS]), (specs, metadata) => {
        const edited: Service = {
          ...existing,
          metadata: Object.assign({}, existing.metadata, ...metadata),
          spec: Object.assign({}, existing.spec, ...specs),
        }
        const update = derivedServiceUpdate(edited, wanted)
        fc.pre(specs.length + metadata.length > 0)
        expect(update?.spec).toEqual({ ...wanted.spec, ...addresses })
        expect(update?.metadata?.ownerReferences).toEqual(wanted.metadata?.ownerReferences)
        expect(update?.metadata?.labels).toEqual(wanted.metadata?.labels)
        expect(update?.metadata?.annotations ?? {}).toEqual({})
        expect(derivedServiceUpdate(update ?? {}, wanted)).toBeUndefined()
      }),
    )
  })
})

describe('mustBeReplaced', () => {
  it('wants a new Service where a selector was added, or where it is headless', () => {
    expect(mustBeReplaced(existing)).toBe(false)
    expect(mustBeReplaced({ ...existing, spec: { ...existing.spec, selector: { app: 'x' } } })).toBe(true)
    expect(mustBeReplaced({ ...existing, spec: { ...existing.spec, clusterIP: 'None' } })).toBe(true)
  })
})
