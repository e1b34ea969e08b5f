import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import {
  type ApiClient,
  createApiClient,
  loadClusters,
  NAMESPACES,
  PODS,
  SERVICES,
} from '../../shared/kubernetes/index.ts'
import type { Scene } from './scene.ts'

export const NAMESPACE = 'deployed'

/** A client with all permissions, until the test ends. */
export async function adminOf({ cluster }: Scene): Promise<ApiClient> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-admin-'))
  const file = join(folder, 'kubeconfig')
  await writeFile(file, cluster.admin)
  const [connection] = await loadClusters(file)
  if (connection === undefined) throw new Error('the kubeconfig has no cluster')
  const client = createApiClient(connection)
  onTestFinished(async () => {
    client.close()
    await rm(folder, { recursive: true })
  })
  return client
}

/** Creates the namespace, and a Service in it. */
export async function createService(client: ApiClient, name = 'web'): Promise<void> {
  await client.create(NAMESPACES, { metadata: { name: NAMESPACE } })
  await client.create(SERVICES, {
    metadata: { name, namespace: NAMESPACE, annotations: { 'sliceflow.dev/selector': 'app=web' } },
    spec: { ports: [{ port: 80 }] },
  })
}

export async function createPod(client: ApiClient, name: string, podIP: string): Promise<void> {
  const pod = await client.create(PODS, {
    metadata: { name, namespace: NAMESPACE, labels: { app: 'web' } },
    spec: { nodeName: 'node-1', containers: [{ name: 'web', image: 'web' }] },
  })
  const status = {
    phase: 'Running',
    podIP,
    podIPs: [{ ip: podIP }],
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: new Date().toISOString() }],
  }
  await client.update(PODS, { ...pod, status }, { subresource: 'status' })
}
