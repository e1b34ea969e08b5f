import { defineKinds } from '../shared/fleet/crds.fixtures.ts'
import { serviceExports } from '../shared/fleet/index.ts'
import { type ApiClient, ENDPOINT_SLICES, NAMESPACES, SERVICES } from '../shared/kubernetes/index.ts'
import { startConnectedCluster } from '../test/support/kubeconfig-folder.ts'

/** Clusters that serve the Multi-Cluster Services API, for commands that take several contexts. */
export interface CommandFleet {
  /** Flags that name them all. */
  readonly flags: readonly string[]
  /** Flags that name their kubeconfigs, but no contexts. */
  readonly kubeconfigs: readonly string[]
  readonly clients: readonly ApiClient[]
  /** Stops only the API servers. */
  lose(): Promise<void>
  stop(): Promise<void>
}

/** Starts clusters with the namespace `shop`; the first one exports its Service `web` with one endpoint. */
export async function startCommandFleet(names: readonly string[]): Promise<CommandFleet> {
  const started = await Promise.all(
    names.map(async (name) => {
      const cluster = await startConnectedCluster({ name, crds: true })
      await defineKinds(cluster.client)
      await cluster.client.create(NAMESPACES, { metadata: { name: 'shop' } })
      return cluster
    }),
  )
  const clients = started.map(({ client }) => client)
  if (clients[0] !== undefined) await exportWeb(clients[0])
  return {
    flags: started.flatMap(({ file }, index) => ['--kubeconfig', file, '--context', names[index] ?? '']),
    kubeconfigs: started.flatMap(({ file }) => ['--kubeconfig', file]),
    clients,
    async lose() {
      for (const { plane } of started) await plane.close()
    },
    async stop() {
      for (const cluster of started) await cluster.stop()
    },
  }
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
