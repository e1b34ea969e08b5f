import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createControlPlane } from '../../shared/control-plane/index.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../shared/fleet/crds.fixtures.ts'
import {
  customResourceDefinitions,
  findServed,
  serviceExports,
  serviceImports,
} from '../../shared/fleet/index.ts'
import {
  type ApiClient,
  createApiClient,
  ENDPOINT_SLICES,
  loadClusters,
  NAMESPACES,
  SERVICES,
} from '../../shared/kubernetes/index.ts'

/** Clusters that serve the Multi-Cluster Services API, for commands that take several contexts. */
export interface CommandFleet {
  /** Flags that name them all. */
  readonly flags: readonly string[]
  readonly clients: readonly ApiClient[]
  /** Stops only the API servers. */
  lose(): Promise<void>
  stop(): Promise<void>
}

/** Starts clusters with the namespace `shop`; the first one exports its Service `web` with one endpoint. */
export async function startCommandFleet(names: readonly string[]): Promise<CommandFleet> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-fleet-'))
  const started = await Promise.all(
    names.map(async (name) => {
      const plane = await createControlPlane({ crds: true })
      await plane.listen({ context: name })
      const file = join(folder, name)
      await writeFile(file, plane.kubeconfig, { mode: 0o600 })
      const [connection] = await loadClusters(file)
      if (connection === undefined) throw new Error('the control plane’s kubeconfig names no cluster')
      const client = createApiClient(connection)
      await prepare(client)
      return { plane, file, client }
    }),
  )
  const clients = started.map(({ client }) => client)
  if (clients[0] !== undefined) await exportWeb(clients[0])
  return {
    flags: started.flatMap(({ file }, index) => ['--kubeconfig', file, '--context', names[index] ?? '']),
    clients,
    async lose() {
      for (const { plane } of started) await plane.close()
    },
    async stop() {
      for (const { client, plane } of started) {
        client.close()
        await plane.close()
      }
      await rm(folder, { recursive: true })
    },
  }
}

async function prepare(client: ApiClient): Promise<void> {
  for (const definition of customResourceDefinitions())
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition as object)
  for (const kind of [serviceExports, serviceImports])
    while ((await findServed<object>(client, kind)) === undefined) await new Promise(setImmediate)
  await client.create(NAMESPACES, { metadata: { name: 'shop' } })
}

async function exportWeb(client: ApiClient): Promise<void> {
  const metadata = { namespace: 'shop', name: 'web' }
  await client.create(SERVICES, { metadata, spec: { ports: [{ name: 'http', port: 80 }] } })
  await client.create(ENDPOINT_SLICES, {
    metadata: { namespace: 'shop', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.0.1'], conditions: { ready: true } }],
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  })
  const kind = { apiVersion: 'multicluster.x-k8s.io/v1beta1', kind: 'ServiceExport' }
  await client.create(serviceExports('v1beta1'), { ...kind, metadata })
}
