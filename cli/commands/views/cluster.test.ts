import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import {
  type ApiClient,
  type ApiObject,
  createApiClient,
  ENDPOINT_SLICES,
  findResource,
  loadClusters,
  NAMESPACES,
  type Resource,
  SERVICES,
} from '../../../shared/kubernetes/index.ts'
import { kubeconfigText } from '../../../test/support/kubeconfig.ts'
import { startConnectedCluster } from '../../../test/support/kubeconfig-folder.ts'
import { createRawClient } from '../../../test/support/raw-client.ts'
import { answerJson, startScriptedServer } from '../../../test/support/scripted-server.ts'
import { outputOf } from '../../program.fixtures.ts'

const SPEC = new URL('../../../examples/views/endpoint-lists.yaml', import.meta.url).pathname
const MAIN = new URL('../../main.ts', import.meta.url).pathname
const CONFIG_MAPS: Resource = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
}

let folder: string
let stop: () => Promise<void>
let kubeconfig: string
let client: ApiClient
let child: ChildProcess | undefined

beforeEach(async () => {
  const cluster = await startConnectedCluster()
  kubeconfig = cluster.file
  folder = cluster.kubeconfigs.folder
  client = cluster.client
  stop = cluster.stop
})
afterEach(async () => {
  child?.kill('SIGKILL')
  child = undefined
  await stop()
})

function views(...args: string[]): ChildProcess {
  child = spawn(process.execPath, [MAIN, 'views', '--kubeconfig', kubeconfig, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return child
}

/** Writes a spec, and returns its file. */
function specOf(text: string): string {
  const file = join(folder, 'spec.yaml')
  writeFileSync(file, text)
  return file
}

/** Yields the types of the EndpointViews in each line. */
async function* endpointViews(process: ChildProcess): AsyncGenerator<string[]> {
  if (process.stdout === null) return
  for await (const line of createInterface(process.stdout)) {
    const { view } = JSON.parse(line) as { view: { type: string; object: { kind: string; spec: object } }[] }
    yield view.filter(({ object }) => object.kind === 'EndpointView').map(({ type }) => type)
  }
}

const service = {
  metadata: {
    name: 'web',
    namespace: 'default',
    annotations: { 'dcontroller.io/endpointslice-controller-enabled': '' },
  },
  spec: {
    ports: [
      { name: 'http', port: 80 },
      { name: 'https', port: 443 },
    ],
  },
}
const slice = (...addresses: string[]): object => ({
  metadata: { name: 'web-1', namespace: 'default', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  ports: [{ name: 'http', port: 80 }],
})

it('the command follows a cluster: what is there, and then each change, until SIGTERM', async () => {
  await client.create(SERVICES, service)
  const created = await client.create(ENDPOINT_SLICES, slice('10.0.0.1', '10.0.0.2') as never)
  const running = views('--spec', SPEC)
  const lines = endpointViews(running)
  expect((await lines.next()).value).toEqual(['Added', 'Added'])
  await client.update(ENDPOINT_SLICES, {
    ...created,
    ...(slice('10.0.0.1', '10.0.0.3') as object),
    metadata: created.metadata,
  })
  expect((await lines.next()).value).toEqual(['Updated', 'Updated'])
  await client.delete(SERVICES, { namespace: 'default', name: 'web' })
  expect((await lines.next()).value).toEqual(['Deleted', 'Deleted'])
  running.kill('SIGTERM')
  const [code] = await once(running, 'exit')
  expect(code).toBe(0)
})

it('the command explains a view object once all kinds were listed, and ends', async () => {
  await client.create(SERVICES, service)
  await client.create(ENDPOINT_SLICES, slice('10.0.0.1') as never)
  const flags = ['--kubeconfig', kubeconfig, '--spec', SPEC, '--explain', 'default/web-TCP-443']
  const explained = JSON.parse((await outputOf('views', ...flags)).trim().split('\n').at(-1) ?? '')
  expect(explained.controllers[0].origins[0].objects[1]).toEqual({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    namespace: 'default',
    name: 'web-1',
  })
})

it('the command writes targets that are no views: creates, changes, patches and deletes them', async () => {
  const file = specOf(`controllers:
  - name: config
    sources: [{ apiGroup: "", kind: Service, labelSelector: { matchLabels: { team: a } } }]
    pipeline:
      "@project":
        metadata: { name: { "@concat": [$.metadata.name, "-ports"] }, namespace: $.metadata.namespace, labels: { made: by-views } }
        data: { first: { "@string": "$.spec.ports[0].port" } }
    target: { apiGroup: "", kind: ConfigMap }
  - name: note
    sources: [{ apiGroup: "", kind: ConfigMap, labelSelector: { matchLabels: { made: by-views } } }]
    pipeline:
      "@project":
        metadata: { name: web, namespace: $.metadata.namespace, annotations: { first: $.data.first } }
    target: { apiGroup: "", kind: Service, type: Patcher }
`)
  const labelled = { ...service, metadata: { ...service.metadata, labels: { team: 'a' } } }
  await client.create(SERVICES, labelled)
  views('--spec', file).stdout?.resume()
  const config = { namespace: 'default', name: 'web-ports' }
  const web = { namespace: 'default', name: 'web' }
  const dataOf = async (): Promise<unknown> =>
    ((await client.get(CONFIG_MAPS, config)) as { data?: unknown }).data
  const noteOf = async (): Promise<unknown> => (await client.get(SERVICES, web)).metadata?.annotations?.first
  await expect.poll(dataOf).toEqual({ first: '80' })
  await expect.poll(noteOf).toBe('80')
  await client.patch(SERVICES, web, { spec: { ports: [{ name: 'http', port: 81 }] } })
  await expect.poll(dataOf).toEqual({ first: '81' })
  await expect.poll(noteOf).toBe('81')
  await client.patch(SERVICES, web, { metadata: { labels: { team: 'b' } } })
  await expect.poll(() => dataOf().catch((error: Error) => error.name)).toBe('NotFoundError')
  await expect.poll(noteOf).toBeUndefined()
})

it('the command writes a target again that could not be written, until it can', async () => {
  const file = specOf(`controllers:
  - name: note
    sources: [{ apiGroup: "", kind: ConfigMap, labelSelector: { matchLabels: { notes: web } } }]
    pipeline:
      "@project":
        metadata: { name: web, namespace: $.metadata.namespace, annotations: { first: $.data.first } }
    target: { apiGroup: "", kind: Service, type: Patcher }
`)
  const metadata = { name: 'notes', namespace: 'default', labels: { notes: 'web' } }
  await client.create(CONFIG_MAPS, { metadata, data: { first: '80' } } as never)
  const running = spawn(process.execPath, [MAIN, 'views', '--kubeconfig', kubeconfig, '--spec', file])
  child = running
  let said = ''
  for await (const text of running.stderr) {
    said += text
    if (/failed to write a target.*\n/.test(said)) break
  }
  expect(said).not.toContain('annotations')
  await client.create(SERVICES, service)
  const noteOf = async (): Promise<unknown> =>
    (await client.get(SERVICES, { namespace: 'default', name: 'web' })).metadata?.annotations?.first
  await expect.poll(noteOf).toBe('80')
})

it('the command writes what a target is by now, once it can, and nothing of what it was meanwhile', async () => {
  const file = specOf(`controllers:
  - name: config
    sources: [{ apiGroup: "", kind: Service, labelSelector: { matchLabels: { team: a } } }]
    pipeline: { "@project": { metadata: { name: web, namespace: later }, data: { owner: $.spec.externalName } } }
    target: { apiGroup: "", kind: ConfigMap }
`)
  const spec = (owner: string): object => ({ spec: { type: 'ExternalName', externalName: owner } })
  const metadata = { name: 'web', namespace: 'default', labels: { team: 'a' } }
  await client.create(SERVICES, { metadata, ...spec('o0') } as never)
  const lines = endpointViews(views('--spec', file))
  await lines.next()
  for (let owner = 1; owner <= 8; owner++) {
    await client.patch(SERVICES, { namespace: 'default', name: 'web' }, spec(`o${owner}`))
    await lines.next()
  }
  const raw = createRawClient(readFileSync(kubeconfig, 'utf8'))
  onTestFinished(() => raw.close())
  const written = await raw.watch('/api/v1/namespaces/later/configmaps?watch=1')
  await client.create(NAMESPACES, { metadata: { name: 'later' } })
  expect(await written.next()).toMatchObject({ type: 'ADDED', object: { data: { owner: 'o8' } } })
})

it('the command keeps a target while one of several controllers gives it, as the last of them says', async () => {
  const controller = (team: string): string => `
  - name: of-${team}
    sources: [{ apiGroup: "", kind: Service, labelSelector: { matchLabels: { team: ${team} } } }]
    pipeline: { "@project": { metadata: { name: shared, namespace: default }, data: { by: $.metadata.name } } }
    target: { apiGroup: "", kind: ConfigMap }`
  const file = specOf(`controllers:${['a', 'b'].map(controller).join('')}\n`)
  const serviceOf = (team: string): object => ({
    ...service,
    metadata: { name: `web-${team}`, namespace: 'default', labels: { team } },
  })
  for (const team of ['b', 'a']) await client.create(SERVICES, serviceOf(team))
  views('--spec', file).stdout?.resume()
  const shared = { namespace: 'default', name: 'shared' }
  const uids = new Set<string | undefined>()
  const by = async (): Promise<unknown> => {
    const { data, metadata } = (await client.get(CONFIG_MAPS, shared)) as { data?: unknown } & ApiObject
    uids.add(metadata?.uid)
    return data
  }
  await expect.poll(by).toEqual({ by: 'web-b' })
  await client.delete(SERVICES, { namespace: 'default', name: 'web-b' })
  await expect.poll(by).toEqual({ by: 'web-a' })
  await client.create(SERVICES, serviceOf('b'))
  await expect.poll(by).toEqual({ by: 'web-b' })
  expect(uids.size).toBe(1)
  for (const team of ['a', 'b']) await client.delete(SERVICES, { namespace: 'default', name: `web-${team}` })
  await expect.poll(() => by().catch((error: Error) => error.name)).toBe('NotFoundError')
})

it('the command ends within 10 s of SIGTERM while a write gets no answer', async () => {
  const file = specOf(`controllers:
  - name: config
    sources: [{ apiGroup: "", kind: Service }]
    pipeline: { "@project": { metadata: { name: web, namespace: default } } }
    target: { apiGroup: "", kind: ConfigMap }
`)
  const server = await startScriptedServer()
  onTestFinished(() => server.close())
  server.answer(({ url = '' }, response) => {
    const resources = ['Service', 'ConfigMap'].map((kind) => ({ kind, name: `${kind.toLowerCase()}s` }))
    if (url === '/api/v1') answerJson(response, { resources })
    else if (url.includes('watch=true')) response.writeHead(200).flushHeaders()
    else if (url.startsWith('/api/v1/services'))
      answerJson(response, { metadata: { resourceVersion: '1' }, items: [{ metadata: { name: 'web' } }] })
  })
  const { ca = '' } = await server.connection.credentials()
  const [name, address] = ['scripted', server.connection.server.href]
  writeFileSync(
    kubeconfig,
    kubeconfigText([{ name, server: address, authority: String(ca), user: { token: 't' } }]),
  )
  const running = views('--spec', file)
  running.stdout?.resume()
  await expect.poll(() => server.requests.at(-1)).toMatch(/GET .*configmaps/)
  const asked = performance.now()
  running.kill('SIGTERM')
  expect((await once(running, 'exit'))[0]).toBe(0)
  expect(performance.now() - asked).toBeLessThan(10_000)
})

/** Kubeconfig of an earlier run. */
const EARLIER = `# Kubeconfig of a Sliceflow control plane
apiVersion: v1
kind: Config
clusters:
  - name: views
    cluster:
      server: https://127.0.0.1:1
      certificate-authority-data: AA==
users:
  - name: views-admin
`

it('the command serves the views as resources of an API, once what was there is shown', async () => {
  await client.create(SERVICES, service)
  await client.create(ENDPOINT_SLICES, slice('10.0.0.1') as never)
  const served = join(folder, 'views.kubeconfig')
  writeFileSync(served, EARLIER, { mode: 0o644 })
  const running = views('--spec', SPEC, '--serve', '--kubeconfig-out', served)
  if (running.stdout === null) throw new Error('no output')
  const lines = createInterface(running.stdout)[Symbol.asyncIterator]()
  expect((await lines.next()).value).toMatch(
    /^ready: https:\/\/127\.0\.0\.1:\d+ kubeconfig .*views\.kubeconfig$/,
  )
  expect(statSync(served).mode & 0o777).toBe(0o600)
  const [connection] = await loadClusters(served)
  if (connection === undefined) throw new Error('no cluster')
  const reader = createApiClient(connection)
  const resource = await findResource(reader, { group: 'op.view.dcontroller.io', kind: 'EndpointView' })
  const namesOf = async (): Promise<(string | undefined)[]> =>
    (await reader.list(resource)).items.map(({ metadata }) => metadata?.name)
  expect(await namesOf()).toEqual(['web-TCP-443', 'web-TCP-80'])
  await client.delete(SERVICES, { namespace: 'default', name: 'web' })
  await expect.poll(namesOf).toEqual([])
  reader.close()
  running.kill('SIGTERM')
  const [code] = await once(running, 'exit')
  expect(code).toBe(0)
  expect((await lines.next()).done).toBe(true)
})
