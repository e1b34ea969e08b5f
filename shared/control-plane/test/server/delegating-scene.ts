import { randomUUID } from 'node:crypto'
import { expect, vi } from 'vitest'
import type { Json } from '../../../../test/support/raw-client.ts'
import type { ControlPlaneOptions } from '../../index.ts'
import { type ExtensionServer, startExtensionServer } from '../../testing/extension-server.ts'
import { TestServer } from '../../testing/test-client.ts'

export const GROUP = 'agg.example.com'
export const ZS = `/apis/${GROUP}/v1/namespaces/default/zs`
export const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices'
export const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** A control plane, and an extension server that its APIService delegates to. */
export interface DelegatingScene extends AsyncDisposable {
  readonly server: TestServer
  readonly extension: ExtensionServer
  /** Resolves once the condition `Available` has this reason. */
  available(reason: string): Promise<void>
  /** Returns the group's only version in aggregated discovery. */
  discovered(): Promise<Json>
  /** Has the server look again at what the extension server serves. */
  lookAgain(): Promise<void>
}

export async function startDelegatingScene(options: ControlPlaneOptions = {}): Promise<DelegatingScene> {
  const server = await TestServer.start({ apis: { apiServices: true }, authorization: 'RBAC', ...options })
  const { client } = server
  const { body } = await client.get(
    '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
  )
  const extension = await startExtensionServer({
    host: 'ext.default.svc',
    frontProxyAuthority: body.data['requestheader-client-ca-file'],
    group: GROUP,
  })
  const { port, caBundle } = extension
  await client.post('/api/v1/namespaces/default/services', {
    metadata: { name: 'ext' },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  })
  const service = { namespace: 'default', name: 'ext', port }
  const spec = {
    group: GROUP,
    version: 'v1',
    groupPriorityMinimum: 1000,
    versionPriority: 15,
    service,
    caBundle,
  }
  await client.post(API_SERVICES, { metadata: { name: `v1.${GROUP}` }, spec })
  return {
    server,
    extension,
    available: (reason) =>
      vi.waitFor(
        async () => {
          const { status } = (await client.get(`${API_SERVICES}/v1.${GROUP}`)).body
          expect(status.conditions[0].reason).toBe(reason)
        },
        { timeout: 20_000, interval: 100 },
      ),
    async discovered() {
      const { items } = (await client.get('/apis', { accept: AGGREGATED })).body
      return items.find(({ metadata }: Json) => metadata.name === GROUP).versions[0]
    },
    async lookAgain() {
      const labels = { synced: randomUUID() }
      await client.patch('/api/v1/namespaces/default/services/ext', { metadata: { labels } })
      await client.patch(`${API_SERVICES}/v1.${GROUP}`, { metadata: { labels } })
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await extension.stop()
    },
  }
}
