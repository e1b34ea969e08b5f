import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { Json, RawClient } from '../../../test/support/raw-client.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { builtinResources, type ControlPlaneOptions } from '../index.ts'
import { TestServer } from '../testing/test-client.ts'

const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices'
const CONFIG_MAP = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication'

async function start({
  apis,
  storage = {},
}: Pick<ControlPlaneOptions, 'apis' | 'storage'> = {}): Promise<RawClient & AsyncDisposable> {
  const server = await TestServer.start({ apis: { ...apis, apiServices: true }, storage })
  return {
    ...server.client,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      expect(server.failures).toEqual([])
    },
  }
}

const names = async (client: RawClient): Promise<string[]> =>
  (await client.get(API_SERVICES)).body.items.map(({ metadata }: Json) => metadata.name)

describe('APIServices of the server’s own groups', () => {
  it('stay deleted until the server starts again', async () => {
    const storage = { dataDir: temporaryFolder() }
    {
      await using client = await start({ storage })
      await client.delete(`${API_SERVICES}/v1.coordination.k8s.io`)
      await vi.waitFor(async () => {
        const { groups } = (await client.get('/apis')).body
        expect(groups.map(({ name }: Json) => name)).not.toContain('coordination.k8s.io')
      }, 15_000)
      expect(await names(client)).not.toContain('v1.coordination.k8s.io')
      expect((await client.get('/apis/coordination.k8s.io/v1/leases')).status).toBe(200)
    }
    await using client = await start({ storage })
    expect(await names(client)).toContain('v1.coordination.k8s.io')
  })

  it('go when a later start serves them no longer, and those of users stay', async () => {
    const storage = { dataDir: temporaryFolder() }
    const spec = { group: 'own.example.com', version: 'v1', groupPriorityMinimum: 7, versionPriority: 7 }
    {
      await using client = await start({ storage })
      await client.post(API_SERVICES, { metadata: { name: 'v1.own.example.com' }, spec })
      await client.patch(`${API_SERVICES}/v1.rbac.authorization.k8s.io`, { spec: { versionPriority: 3 } })
      expect(await names(client)).toContain('v1.discovery.k8s.io')
    }
    await using client = await start({ storage, apis: { resources: builtinResources('generic') } })
    const all = await names(client)
    expect(all).toContain('v1.own.example.com')
    expect(all).not.toContain('v1.discovery.k8s.io')
    const { body } = await client.get(`${API_SERVICES}/v1.rbac.authorization.k8s.io`)
    expect(body.spec.versionPriority).toBe(15)
  })

  it('come last for groups that Kubernetes does not know', async () => {
    const things = {
      group: 'things.example.com',
      version: 'v1',
      kind: 'Thing',
      plural: 'things',
      singular: 'thing',
      namespaced: true,
      table: { columns: [], cells: () => [] },
    }
    await using client = await start({ apis: { resources: [...builtinResources('generic'), things] } })
    const { groups } = (await client.get('/apis')).body
    expect(groups.at(-1).name).toBe('things.example.com')
    expect(groups[0].name).toBe('apiregistration.k8s.io')
  })
})

it('without Services an APIService says that its Service is missing', async () => {
  await using client = await start({ apis: { resources: builtinResources('generic') } })
  const service = { namespace: 'default', name: 'ext' }
  const spec = { group: 'a.example.com', version: 'v1', groupPriorityMinimum: 7, versionPriority: 7, service }
  await client.post(API_SERVICES, { metadata: { name: 'v1.a.example.com' }, spec })
  await vi.waitFor(async () => {
    const { body } = await client.get(`${API_SERVICES}/v1.a.example.com`)
    expect(body.status.conditions).toMatchObject([
      { reason: 'ServiceNotFound', message: 'service/ext in "default" is not present' },
    ])
  }, 15_000)
  const { status, text } = await client.get('/apis/a.example.com/v1')
  expect([status, text]).toEqual([503, 'service unavailable\n'])
})

it('what delegated servers need to trust outlives the process, and keeps what others have added', async () => {
  const dataDir = temporaryFolder()
  const read = async (client: RawClient): Promise<Json> => (await client.get(CONFIG_MAP)).body.data
  let before: Json
  {
    await using client = await start({ storage: { dataDir } })
    before = await read(client)
    const patch = {
      'requestheader-allowed-names': '["other"]',
      'requestheader-group-headers': 'no list',
      more: 'x',
    }
    await client.patch(CONFIG_MAP, { data: patch })
    await expect
      .poll(() => read(client))
      .toEqual({ ...before, 'requestheader-allowed-names': '["other","front-proxy-client"]', more: 'x' })
  }
  expect(readFileSync(join(dataDir, 'front-proxy-ca.crt'), 'utf8').trim()).toBe(
    before['requestheader-client-ca-file'].trim(),
  )
  expect(statSync(join(dataDir, 'front-proxy-ca.key')).mode & 0o777).toBe(0o600)
  await using client = await start({ storage: { dataDir } })
  expect((await read(client))['requestheader-client-ca-file']).toBe(before['requestheader-client-ca-file'])
})
