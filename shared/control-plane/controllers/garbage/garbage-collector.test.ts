import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { TestServer } from '../../testing/test-client.ts'

const PATH = '/api/v1/namespaces/default/configmaps'

describe('the garbage collector', () => {
  let server: TestServer

  beforeAll(async () => {
    server = await TestServer.start({ controllers: ['namespace', 'garbage-collector'] })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  async function create(name: string, ...owners: (JsonObject & { blocks?: boolean })[]): Promise<JsonObject> {
    const ownerReferences = owners.map(({ blocks = false, ...owner }) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      blockOwnerDeletion: blocks,
      ...owner,
    }))
    const { body, status } = await server.create(PATH, { metadata: { name, ownerReferences } })
    expect(status).toBe(201)
    const { uid } = body.metadata as JsonObject
    return { name, uid }
  }

  const metadata = async (name: string): Promise<JsonObject | undefined> => {
    const { status, body } = await server.ask('GET', `${PATH}/${name}`)
    return status === 404 ? undefined : (body.metadata as JsonObject)
  }
  const gone = (name: string): Promise<void> =>
    vi.waitFor(async () => expect(await metadata(name), name).toBeUndefined(), 15_000)
  const remove = (name: string, propagationPolicy?: string) =>
    server.ask('DELETE', `${PATH}/${name}`, { body: propagationPolicy ? { propagationPolicy } : {} })

  it('deletes objects that own each other in a circle', async () => {
    const first = await create('circle-1')
    const second = await create('circle-2', { ...first, blocks: true })
    const third = await create('circle-3', { ...second, blocks: true })
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', blockOwnerDeletion: true, ...third }]
    await server.patch(`${PATH}/circle-1`, { metadata: { ownerReferences } })
    expect((await metadata('circle-1'))?.ownerReferences).toHaveLength(1)
    await remove('circle-1', 'Foreground')
    for (const name of ['circle-1', 'circle-2', 'circle-3']) await gone(name)
  })

  it('leaves alone a cluster-scoped object that names an owner in a namespace', async () => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'i-owner', uid: 'i' }
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
    await server.create(roles, { metadata: { name: 'i-role', ownerReferences: [owner] } })
    await create('i-sentinel', { name: 'none', uid: 'none' })
    await gone('i-sentinel')
    expect((await server.ask('GET', `${roles}/i-role`)).status).toBe(200)
  })
})
