import { describe, expect, it } from 'vitest'
import type { Service } from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES, SERVICES } from '../../shared/kubernetes/index.ts'
import { IN_TREE_CONTROLLER } from '../support/workload.ts'
import { makeSlice } from '../support/world/index.ts'
import { numbered, type OpenCluster, openScene, openWeb } from './scene.ts'

export function describeManagedServices(cluster: OpenCluster): void {
  describe('in custom mode', () => {
    it('gives slices to a Service with the annotation, and none to others', async () => {
      const scene = await openScene(cluster(), { mode: 'custom' })
      const sliceflow = await scene.start()
      await scene.addPods(numbered('web', 3))
      await scene.addService('plain', { selector: null })
      await scene.addService('selecting', {
        selector: null,
        annotations: { 'sliceflow.dev/selector': 'app=web' },
        spec: { selector: { app: 'web' } },
      })
      await scene.addService('web')

      await scene.untilRight()

      expect(await scene.slices('web')).toHaveLength(1)
      expect(await scene.slices()).toHaveLength(1)
      expect(sliceflow.changes.map(({ service }) => service)).not.toContain('plain')
    })
  })

  describe('in replace mode', () => {
    it('takes the slices of the in-tree controller over in place', async () => {
      const scene = await openWeb(cluster(), 2, { mode: 'replace', managedBy: IN_TREE_CONTROLLER })
      const slice = makeSlice({
        namespace: scene.namespace,
        name: 'web-x7k2p',
        managedBy: IN_TREE_CONTROLLER,
        endpoints: [{ addresses: ['10.1.0.0'], conditions: { ready: true } }],
        ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      })
      const service = await scene.client.get(SERVICES, { namespace: scene.namespace, name: 'web' })
      const { metadata } = await scene.client.create(ENDPOINT_SLICES, {
        ...slice,
        metadata: { ...slice.metadata, ownerReferences: [ownerReference(service)] },
      })

      await scene.startRight()

      const slices = await scene.slices()
      expect(slices.map((found) => found.metadata?.uid)).toEqual([metadata?.uid])
    })
  })
}

/** Returns an owner reference as the in-tree controller writes it. */
const ownerReference = ({ metadata }: Service) => ({
  apiVersion: 'v1',
  kind: 'Service',
  name: metadata?.name ?? '',
  uid: metadata?.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
})
