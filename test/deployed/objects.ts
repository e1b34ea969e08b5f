import { onTestFinished, vi } from 'vitest'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../shared/fleet/crds.fixtures.ts'
import { customResourceDefinitions, serviceExports } from '../../shared/fleet/index.ts'
import { type ApiClient, ENDPOINT_SLICES, NAMESPACES, SERVICES } from '../../shared/kubernetes/index.ts'
import { openKubeconfigs } from '../support/kubeconfig-folder.ts'
import { createFakePods, makePod } from '../support/world/index.ts'
import type { Scene } from './scene.ts'

export const NAMESPACE = 'deployed'

/** Returns a client with all permissions, until the test ends. */
export async function adminOf({ cluster }: Pick<Scene, 'cluster'>): Promise<ApiClient> {
  const kubeconfigs = await openKubeconfigs()
  onTestFinished(() => kubeconfigs.close())
  return (await kubeconfigs.connect(cluster.admin)).client
}

/** Creates the namespace, and a Service in it. */
export async function createService(client: ApiClient, name = 'web'): Promise<void> {
  await client.create(NAMESPACES, { metadata: { name: NAMESPACE } })
  await client.create(SERVICES, {
    metadata: { name, namespace: NAMESPACE, annotations: { 'sliceflow.dev/selector': 'app=web' } },
    spec: { ports: [{ port: 80 }] },
  })
}

export const createPod = (client: ApiClient, name: string, address: string): Promise<void> =>
  createFakePods(client).start(
    makePod({ namespace: NAMESPACE, name, labels: { app: 'web' }, nodeName: 'node-1' }),
    [address],
  )

/** Creates the definitions of a cluster set, and the namespace. */
export async function defineFleet(client: ApiClient): Promise<void> {
  for (const definition of customResourceDefinitions())
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition as object)
  await client.create(NAMESPACES, { metadata: { name: NAMESPACE } })
}

/** Exports a Service whose only endpoint another controller has published. */
export async function exportService(client: ApiClient, address: string): Promise<void> {
  const metadata = { name: 'web', namespace: NAMESPACE }
  await client.create(SERVICES, { metadata, spec: { ports: [{ port: 80 }] } })
  await client.create(ENDPOINT_SLICES, {
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: '', port: 80, protocol: 'TCP' }],
  })
  const exported = { apiVersion: 'multicluster.x-k8s.io/v1beta1', kind: 'ServiceExport', metadata }
  // A kind is served a moment after its definition is there.
  await vi.waitFor(() => client.create(serviceExports('v1beta1'), exported), {
    timeout: 15_000,
    interval: 20,
  })
}
