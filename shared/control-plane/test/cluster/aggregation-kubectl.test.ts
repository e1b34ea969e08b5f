import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { startApiServer } from '../../../../test/cluster/api-server.ts'
import { ensureBinaries } from '../../../../test/cluster/binaries.ts'
import { startControllerManager } from '../../../../test/cluster/controller-manager.ts'
import { createRawClient, type Json, type RawClient } from '../../../../test/support/raw-client.ts'
import {
  builtinResources,
  type ControlPlane,
  createControlPlane,
  type ResourceDefinition,
} from '../../index.ts'
import { accepted } from '../conformance/subject.ts'

const GROUP = 'stacked.example.com'
const APISERVICE = `/apis/apiregistration.k8s.io/v1/apiservices/v1.${GROUP}`
const PATIENCE = { timeout: 120_000, interval: 100 }

const databases: ResourceDefinition = {
  group: GROUP,
  version: 'v1',
  kind: 'Database',
  plural: 'databases',
  singular: 'database',
  shortNames: ['db'],
  namespaced: true,
  table: {
    columns: [
      { name: 'Name', type: 'string', format: 'name' },
      { name: 'Size', type: 'string' },
    ],
    cells: ({ metadata, spec }) => [metadata.name ?? '', String((spec as Json)?.size)],
  },
}

interface Front {
  readonly kubeconfig: string
  stop(): Promise<void>
}

/** Output and end of a command. */
interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

async function startReal(): Promise<Front> {
  const server = await startApiServer()
  const manager = await startControllerManager({
    kubeconfig: server.kubeconfig.path,
    controllers: ['namespace-controller'],
  })
  return {
    kubeconfig: server.kubeconfig.text,
    async stop() {
      await manager.stop()
      await server.stop()
    },
  }
}

async function startOurs(): Promise<Front> {
  const controlPlane = await createControlPlane({ apis: { apiServices: true }, authorization: 'RBAC' })
  await controlPlane.listen()
  return { kubeconfig: controlPlane.kubeconfig, stop: () => controlPlane.close() }
}

describe.each([
  ['kube-apiserver', startReal],
  ['the embedded control plane', startOurs],
])('kubectl on a control plane behind %s', (_, start) => {
  let front: Front
  let behind: ControlPlane
  let isUp = false
  let client: RawClient
  let folder: string
  let port: number
  let kubectl: (...args: readonly string[]) => Promise<Outcome>

  const listen = async (): Promise<void> => {
    const { body } = await client.get(
      '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
    )
    behind = await createControlPlane({
      apis: { resources: [...builtinResources('generic'), databases] },
      storage: { dataDir: join(folder, 'behind') },
      authentication: {
        requestHeader: { clientAuthorities: [body.data['requestheader-client-ca-file']] },
      },
      authorization: 'RBAC',
    })
    const bound = await behind.listen({ port, names: ['stacked.default.svc'] })
    port = bound.port
    isUp = true
  }
  const stopBehind = async (): Promise<void> => {
    if (isUp) await behind.close()
    isUp = false
  }
  const available = (reason: string): Promise<void> =>
    vi.waitFor(async () => {
      const labels = { synced: randomUUID() }
      await client.patch('/api/v1/namespaces/default/services/stacked', { metadata: { labels } })
      const { status } = accepted(await client.get(APISERVICE))
      expect(status.conditions?.[0].reason).toBe(reason)
      const { text } = await client.get(`/apis/${GROUP}/v1`)
      expect(text === 'service unavailable\n').toBe(reason !== 'Passed')
    }, PATIENCE)

  beforeAll(async () => {
    const { kubectl: program } = await ensureBinaries()
    if (program === undefined) throw new Error('KUBEBUILDER_ASSETS has no kubectl')
    folder = await mkdtemp(join(tmpdir(), 'sliceflow-aggregation-'))
    port = 0
    front = await start()
    client = createRawClient(front.kubeconfig)
    await listen()
    const kubeconfig = join(folder, 'kubeconfig')
    await writeFile(kubeconfig, front.kubeconfig, { mode: 0o600 })
    kubectl = async (...args) => {
      // Nothing of what it has discovered before counts.
      const env = { ...process.env, HOME: folder, KUBECACHEDIR: await mkdtemp(join(folder, 'cache-')) }
      try {
        const done = await promisify(execFile)(program, ['--kubeconfig', kubeconfig, ...args], { env })
        return { code: 0, ...done }
      } catch (error) {
        const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
        return { code, stdout, stderr }
      }
    }
    accepted(
      await client.post('/api/v1/namespaces/default/services', {
        metadata: { name: 'stacked' },
        spec: { type: 'ExternalName', externalName: 'localhost' },
      }),
    )
    const caBundle = parse(behind.kubeconfig).clusters[0].cluster['certificate-authority-data']
    const service = { namespace: 'default', name: 'stacked', port }
    const spec = { group: GROUP, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15 }
    const made = { metadata: { name: `v1.${GROUP}` }, spec: { ...spec, service, caBundle } }
    accepted(await client.post(APISERVICE.replace(/\/[^/]*$/, ''), made))
    await available('Passed')
    await vi.waitFor(async () => {
      expect((await kubectl('api-resources')).stdout).toContain('databases')
    }, PATIENCE)
  })
  afterAll(async () => {
    client?.close()
    await stopBehind()
    await front?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('knows and gets its objects', async () => {
    const manifest = join(folder, 'database.yaml')
    await writeFile(
      manifest,
      JSON.stringify({
        apiVersion: `${GROUP}/v1`,
        kind: 'Database',
        metadata: { name: 'a' },
        spec: { size: 3 },
      }),
    )
    expect((await kubectl('create', '-f', manifest)).stdout).toBe(`database.${GROUP}/a created\n`)
    const { stdout } = await kubectl('get', 'db')
    expect(stdout.split('\n').map((line) => line.trim().split(/\s+/))).toEqual([
      ['NAME', 'SIZE'],
      ['a', '3'],
      [''],
    ])
    expect((await kubectl('get', 'apiservice', `v1.${GROUP}`, '--no-headers')).stdout).toMatch(
      /^v1\.stacked\.example\.com\s+default\/stacked\s+True\s+/,
    )
    expect((await kubectl('auth', 'can-i', 'list', 'databases')).stdout).toBe('yes\n')
    expect((await kubectl('delete', 'db', 'a')).stdout).toContain('deleted')
    expect((await kubectl('wait', '--for=delete', `databases.${GROUP}/a`)).code).toBe(0)
  })

  it('deletes a namespace with its objects behind', async () => {
    const { status } = await client.post('/api/v1/namespaces', { metadata: { name: 'shop' } })
    expect(status).toBe(201)
    const direct = createRawClient(behind.kubeconfig)
    accepted(await direct.post('/api/v1/namespaces', { metadata: { name: 'shop' } }))
    const path = `/apis/${GROUP}/v1/namespaces/shop/databases`
    const made = { apiVersion: `${GROUP}/v1`, kind: 'Database', metadata: { name: 'b' } }
    accepted(await client.post(path, made))
    expect((await kubectl('delete', 'namespace', 'shop', '--timeout=240s')).code).toBe(0)
    expect(accepted(await direct.get(path)).items).toEqual([])
    direct.close()
  })

  it('goes on with everything else during an outage, and says what is missing', async () => {
    await stopBehind()
    await available('FailedDiscoveryCheck')
    const resources = await vi.waitFor(async () => {
      const outcome = await kubectl('api-resources')
      expect(outcome.stdout).not.toContain('databases')
      return outcome
    }, PATIENCE)
    expect([resources.code, resources.stderr]).toEqual([0, ''])
    expect(resources.stdout).toContain('endpointslices')
    expect((await kubectl('get', 'services', '--no-headers')).stdout).toMatch(/^stacked /m)
    const { code, stderr } = await kubectl('get', `databases.${GROUP}`)
    expect([code, stderr]).toEqual([1, expect.stringContaining('the server')])

    expect((await kubectl('create', 'namespace', 'mill')).code).toBe(0)
    expect((await kubectl('delete', 'namespace', 'mill', '--wait=false')).code).toBe(0)
    await vi.waitFor(async () => {
      const { status } = accepted(await client.get('/api/v1/namespaces/mill'))
      expect(status.phase).toBe('Terminating')
      expect(status.conditions).toHaveLength(5)
      expect(status.conditions[0]).toMatchObject({
        type: 'NamespaceDeletionDiscoveryFailure',
        status: 'True',
        reason: 'DiscoveryFailed',
        message: `Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: ${GROUP}/v1: stale GroupVersion discovery: ${GROUP}/v1`,
      })
      for (const { status: problem } of status.conditions.slice(1)) expect(problem).toBe('False')
    }, PATIENCE)

    await listen()
    await available('Passed')
    await vi.waitFor(async () => {
      expect((await client.get('/api/v1/namespaces/mill')).status).toBe(404)
    }, PATIENCE)
    expect((await kubectl('get', 'db')).stderr).toBe('No resources found in default namespace.\n')
  })
})
