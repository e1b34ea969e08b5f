import { describe, expect, it, onTestFinished } from 'vitest'
import { parse, stringify } from 'yaml'
import { customResourceDefinitions, serviceExports, serviceImports } from '../../shared/fleet/index.ts'
import { type ApiClient, ENDPOINT_SLICES, NAMESPACES, SERVICES } from '../../shared/kubernetes/index.ts'
import { FLEET_ROLE_FILES } from '../end-to-end/cluster-role.ts'
import { startEmbeddedCluster } from '../end-to-end/embedded-cluster.ts'
import { mergeKubeconfigs, serverOf, withServer } from '../support/kubeconfig.ts'
import { createRawClient } from '../support/raw-client.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { makeService, makeSlice } from '../support/world/index.ts'
import { freePort } from './free-port.ts'
import { clientOf, startRun, writeFileForTest } from './run-command.ts'

const POLL = { timeout: 60_000, interval: 100 }
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

describe('sliceflow run on one server under two names', () => {
  it('refuses the two contexts at the start, and says what to do', async () => {
    const { user } = await open()
    const run = startRun(await fileOf(user, withName(user, 'us')), '--context', 'eu', '--context', 'us')
    await expect(run.ended).resolves.toBe(2)
    expect(run.stderr).toMatch(/--context: clusters "eu" and "us" are one cluster: .* uid [0-9a-f-]{36}: /)
  })

  it('follows it under its first name alone where the second one is reached later', async () => {
    const { user, admin } = await open()
    const client = await setScene(admin)
    const door = await freePort()
    const far = withServer(withName(user, 'us'), `https://127.0.0.1:${door}`)
    const metrics = await freePort()
    const flags = ['--fleet', '--log-format', 'json', '--metrics-port', String(metrics)]
    const run = startRun(await fileOf(user, far), '--context', 'eu', '--context', 'us', ...flags)
    await expect.poll(() => exporters(client), POLL).toEqual(['eu'])
    const proxy = await startTcpProxy({
      port: door,
      target: { hostname: serverOf(admin).hostname, port: Number(serverOf(admin).port) },
    })
    onTestFinished(() => proxy.close())
    await expect.poll(() => run.stderr, POLL).toContain('two names lead to one cluster')
    const before = await versions(client)
    const service = await client.get(SERVICES, { namespace: 'shop', name: 'web' })
    await client.update(SERVICES, { ...service, spec: { ...service.spec, sessionAffinity: 'ClientIP' } })
    await expect.poll(() => affinity(client), POLL).toBe('ClientIP')
    expect(await exporters(client)).toEqual(['eu'])
    expect(await versions(client)).toEqual(before)
    expect(await (await fetch(`http://127.0.0.1:${metrics}/status`)).json()).toMatchObject({
      clusters: [{ name: 'eu' }, { name: 'us', sameAs: 'eu' }],
    })
    expect(await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()).toMatch(
      /watch_failing\{cluster="us",kind="services"\} 1/,
    )
  })
})

async function open() {
  const cluster = await startEmbeddedCluster('eu', { roleFile: FLEET_ROLE_FILES, crds: true })
  onTestFinished(() => cluster.stop())
  return cluster
}

const fileOf = (...texts: readonly string[]) => writeFileForTest('kubeconfig', mergeKubeconfigs(texts))

/** Gives the context, the cluster and the user of a kubeconfig another name. */
function withName(text: string, name: string): string {
  const { contexts, clusters, users, ...config } = parse(text)
  return stringify({
    ...config,
    'current-context': name,
    contexts: [{ ...contexts[0], name, context: { cluster: name, user: name } }],
    clusters: [{ ...clusters[0], name }],
    users: [{ ...users[0], name }],
  })
}

/** Exports a Service with one endpoint. */
async function setScene(admin: string): Promise<ApiClient> {
  const raw = createRawClient(admin)
  for (const definition of customResourceDefinitions()) await raw.post(DEFINITIONS, definition)
  raw.close()
  const client = await clientOf(admin)
  const ref = { namespace: 'shop', name: 'web' }
  await client.create(NAMESPACES, { metadata: { name: 'shop' } })
  await client.create(SERVICES, makeService({ ...ref, selector: null }))
  const slice = makeSlice({ ...ref, name: 'web-1', service: 'web', managedBy: 'somebody' })
  const endpoint = { addresses: ['10.1.0.1'], nodeName: 'node-1' }
  await client.create(ENDPOINT_SLICES, { ...slice, endpoints: [endpoint] })
  const exported = { apiVersion: 'multicluster.x-k8s.io/v1beta1', kind: 'ServiceExport', metadata: ref }
  await expect
    .poll(
      () =>
        client.create(serviceExports('v1beta1'), exported).then(
          () => true,
          () => false,
        ),
      POLL,
    )
    .toBe(true)
  return client
}

const importOf = (client: ApiClient) =>
  client.get(serviceImports('v1beta1'), { namespace: 'shop', name: 'web' })

const exporters = (client: ApiClient): Promise<readonly string[]> =>
  importOf(client).then(
    ({ status }) => (status?.clusters ?? []).map(({ cluster }) => cluster),
    () => [],
  )

const affinity = async (client: ApiClient) => (await importOf(client)).spec?.sessionAffinity

/** Versions of the imported slices, by name. */
async function versions(client: ApiClient): Promise<readonly string[]> {
  const { items } = await client.list(ENDPOINT_SLICES, {
    namespace: 'shop',
    labelSelector: 'multicluster.kubernetes.io/service-name=web',
  })
  return items.map(({ metadata }) => `${metadata?.name} ${metadata?.resourceVersion}`)
}
