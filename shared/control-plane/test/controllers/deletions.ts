import { expect, it } from 'vitest'
import type { Json } from '../../../../test/support/raw-client.ts'
import { type ControllersScene, PATIENCE } from './scene.ts'

/** An owner of a kind that is not served. */
const NOBODY = { apiVersion: 'nowhere.example.com/v1', kind: 'Nothing', name: 'nobody', uid: 'nobody' }

/** Tests deletions that follow from others: the content of namespaces, and what objects leave behind. */
export function itFinishesDeletions(scene: ControllersScene): void {
  it('empties a deleted namespace, and lets it go when nothing holds its content', async () => {
    await scene.namespace('emptied')
    const at = (path: string) => `/api/v1/namespaces/emptied/${path}`
    await scene.client.post(at('configmaps'), { metadata: { name: 'free' } })
    await scene.client.post(at('configmaps'), {
      metadata: { name: 'held', finalizers: ['example.com/hold'] },
    })
    await scene.client.delete('/api/v1/namespaces/emptied')

    const namespace = async (): Promise<Json> => (await scene.client.get('/api/v1/namespaces/emptied')).body
    await expect
      .poll(
        async () =>
          (await namespace()).status?.conditions?.find(
            ({ type }: Json) => type === 'NamespaceFinalizersRemaining',
          ),
        PATIENCE,
      )
      .toMatchObject({ status: 'True', message: expect.stringContaining('example.com/hold in 1 resource') })
    expect((await scene.client.get(at('configmaps/free'))).status).toBe(404)
    await scene.client.patch(at('configmaps/held'), { metadata: { finalizers: null } })
    await expect.poll(async () => (await namespace()).code, PATIENCE).toBe(404)
  })

  it('deletes in the background what an owner leaves behind', async () => {
    const family = await makeFamily(scene, 'background')
    await family.removeOwner('Background')
    await family.gone('child')
    expect((await family.get('owner')).status).toBe(404)
  })

  it('deletes in the foreground an owner after what blocks it', async () => {
    const family = await makeFamily(scene, 'foreground', { finalizers: ['example.com/hold'] })
    await family.removeOwner('Foreground')
    await expect
      .poll(async () => (await family.get('child')).body.metadata.deletionTimestamp, PATIENCE)
      .toBeDefined()
    expect((await family.get('owner')).body.metadata.finalizers).toEqual(['foregroundDeletion'])
    await family.release('child')
    await family.gone('child')
    await family.gone('owner')
  })

  it('keeps an owner that waits for what nobody can decide about, until somebody can', async () => {
    const family = await makeFamily(scene, 'undecided')
    const [owner] = (await family.get('child')).body.metadata.ownerReferences
    await family.add('other', [owner])
    await family.own('child', [owner, NOBODY])
    await family.removeOwner('Foreground')
    await family.gone('other')
    expect((await family.get('child')).body.metadata).not.toHaveProperty('deletionTimestamp')
    expect((await family.get('owner')).body.metadata.finalizers).toEqual(['foregroundDeletion'])
    await family.own('child', [owner])
    await family.gone('child')
    await family.gone('owner')
  })

  it('leaves orphans without their owner', async () => {
    const family = await makeFamily(scene, 'orphaned')
    await family.removeOwner('Orphan')
    await family.gone('owner')
    expect((await family.get('child')).body.metadata).not.toHaveProperty('ownerReferences')
  })

  it('empties a namespace of custom resources, also of those that are held', async () => {
    await defineThings(scene)
    await scene.namespace('custom')
    const things = '/apis/example.com/v1/namespaces/custom/things'
    const thing = (name: string, metadata: Json = {}): Json => ({
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: { name, ...metadata },
    })
    await expect.poll(async () => (await scene.client.post(things, thing('free'))).status, PATIENCE).toBe(201)
    await scene.client.post(things, thing('held', { finalizers: ['example.com/hold'] }))
    await scene.client.delete('/api/v1/namespaces/custom')
    await expect.poll(async () => (await scene.client.get(`${things}/free`)).status, PATIENCE).toBe(404)
    expect((await scene.client.get('/api/v1/namespaces/custom')).body.status.phase).toBe('Terminating')
    await scene.client.patch(`${things}/held`, { metadata: { finalizers: null } })
    await expect
      .poll(async () => (await scene.client.get('/api/v1/namespaces/custom')).status, PATIENCE)
      .toBe(404)
  })

  it('keeps what has another owner, without the reference to the one that is gone', async () => {
    await scene.namespace('shared')
    const path = '/api/v1/namespaces/shared/configmaps'
    const create = async (name: string, ownerReferences: Json[] = []): Promise<Json> => {
      const { body } = await scene.client.post(path, { metadata: { name, ownerReferences } })
      return { apiVersion: 'v1', kind: 'ConfigMap', name, uid: body.metadata.uid }
    }
    const [first, second] = [await create('first'), await create('second')]
    await create('child', [first, second])
    await scene.client.delete(`${path}/first`)
    await expect
      .poll(async () => (await scene.client.get(`${path}/child`)).body.metadata.ownerReferences, PATIENCE)
      .toMatchObject([{ name: 'second' }])
  })

  it('leaves alone what is owned by a kind that nobody knows, and deletes what an unknown object owns', async () => {
    await scene.namespace('unknown')
    const path = '/api/v1/namespaces/unknown/configmaps'
    const create = (name: string, owner: Json) =>
      scene.client.post(path, { metadata: { name, ownerReferences: [owner] } })
    await create('kept', NOBODY)
    await create('deleted', { ...NOBODY, apiVersion: 'v1', kind: 'ConfigMap' })
    await expect.poll(async () => (await scene.client.get(`${path}/deleted`)).status, PATIENCE).toBe(404)
    expect((await scene.client.get(`${path}/kept`)).status).toBe(200)
  })

  it('collects the objects of custom resources, which come while it runs', async () => {
    await defineThings(scene)
    const things = '/apis/example.com/v1/namespaces/default/things'
    const make = (name: string, ownerReferences: Json[] = []) =>
      scene.client.post(things, {
        apiVersion: 'example.com/v1',
        kind: 'Thing',
        metadata: { name, ownerReferences },
      })
    await expect.poll(async () => (await make('owner')).status, PATIENCE).toBe(201)
    const { uid } = (await scene.client.get(`${things}/owner`)).body.metadata
    await make('child', [{ apiVersion: 'example.com/v1', kind: 'Thing', name: 'owner', uid }])
    await scene.client.delete(`${things}/owner`)
    await expect.poll(async () => (await scene.client.get(`${things}/child`)).status, PATIENCE).toBe(404)
  })
}

/** Things, custom resources of whatever content, where there are none yet. */
async function defineThings({ client }: ControllersScene): Promise<void> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const { status, text } = await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  })
  expect([201, 409], text).toContain(status)
}

/** Makes a ConfigMap that owns another one, in a namespace of theirs. */
async function makeFamily(scene: ControllersScene, namespace: string, metadata: Json = {}) {
  await scene.namespace(namespace)
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  const create = async (object: Json): Promise<Json> => {
    const { status, text, body } = await scene.client.post(path, object)
    expect(status, text).toBe(201)
    return body
  }
  const { uid } = (await create({ metadata: { name: 'owner' } })).metadata
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, blockOwnerDeletion: true }
  await create({ metadata: { name: 'child', ownerReferences: [owner], ...metadata } })
  const get = (name: string) => scene.client.get(`${path}/${name}`)
  return {
    get,
    add: (name: string, ownerReferences: Json[]) => create({ metadata: { name, ownerReferences } }),
    own: (name: string, ownerReferences: Json[]) =>
      scene.client.patch(`${path}/${name}`, { metadata: { ownerReferences } }),
    removeOwner: (propagationPolicy: string) => scene.client.delete(`${path}/owner`, { propagationPolicy }),
    release: (name: string) => scene.client.patch(`${path}/${name}`, { metadata: { finalizers: null } }),
    gone: (name: string): Promise<void> =>
      expect.poll(async () => (await get(name)).status, PATIENCE).toBe(404),
  }
}
