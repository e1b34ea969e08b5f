import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { builtinResources } from './index.ts'
import { TestServer } from './testing/test-client.ts'

let server: TestServer
let namespaces = 0

beforeAll(async () => {
  server = await TestServer.start({
    authentication: { tokens: { 'bob-token': { username: 'bob', groups: ['devs'] } } },
  })
})
afterAll(() => server[Symbol.asyncDispose]())

/** Returns the path of config maps in a namespace that no other test uses. */
async function freshNamespace(): Promise<string> {
  const name = `t${++namespaces}`
  await server.create('/api/v1/namespaces', { metadata: { name } })
  return `/api/v1/namespaces/${name}`
}
const configMap = (name: string, data = {}, metadata = {}) => ({ metadata: { name, ...metadata }, data })

describe('create', () => {
  it('answers 201 with the object as stored, and records its manager', async () => {
    const path = `${await freshNamespace()}/configmaps`
    const { status, body } = await server.create(path, configMap('a', { k: 'v' }))
    expect(status).toBe(201)
    expect(body).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { k: 'v' } })
    expect(body.metadata).toMatchObject({
      name: 'a',
      managedFields: [{ operation: 'Update', fieldsV1: { 'f:data': { '.': {}, 'f:k': {} } } }],
    })
  })
  it('names the object by generateName', async () => {
    const { body } = await server.create(`${await freshNamespace()}/configmaps`, {
      metadata: { generateName: 'gen-' },
    })
    expect((body.metadata as { name: string }).name).toMatch(/^gen-[a-z0-9]{5}$/)
  })
  it('refuses a name that exists with 409 AlreadyExists', async () => {
    const path = `${await freshNamespace()}/configmaps`
    await server.create(path, configMap('a'))
    expect((await server.create(path, configMap('a'))).body).toMatchObject({
      reason: 'AlreadyExists',
      message: 'configmaps "a" already exists',
      code: 409,
    })
  })
  it('refuses a namespace that does not exist with 404', async () => {
    expect((await server.create('/api/v1/namespaces/nope/configmaps', configMap('a'))).body).toMatchObject({
      code: 404,
      message: 'namespaces "nope" not found',
    })
  })
  it('warns of unknown fields, and refuses them when the client is strict', async () => {
    const path = `${await freshNamespace()}/configmaps`
    const bogus = { ...configMap('a'), bogus: 1 }
    expect((await server.create(path, bogus)).headers.warning).toBe('299 - "unknown field \\"bogus\\""')
    const strict = await server.create(`${path}?fieldValidation=Strict`, {
      ...bogus,
      metadata: { name: 'b' },
    })
    expect(strict.body).toMatchObject({
      code: 400,
      message: expect.stringContaining('strict decoding error: unknown field "bogus"'),
    })
  })
  it('stores nothing on a dry run', async () => {
    const path = `${await freshNamespace()}/configmaps`
    expect((await server.create(`${path}?dryRun=All`, configMap('dry'))).status).toBe(201)
    expect((await server.ask('GET', `${path}/dry`)).status).toBe(404)
  })
  it('reports a value of the wrong type in the words of encoding/json', async () => {
    const { body } = await server.create(`${await freshNamespace()}/configmaps`, configMap('a', { k: 1 }))
    expect(body.message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    )
  })
})

describe('update', () => {
  it('refuses a stale resourceVersion with 409 Conflict', async () => {
    const path = `${await freshNamespace()}/configmaps`
    const first = (await server.create(path, configMap('a'))).body
    await server.ask('PUT', `${path}/a`, { body: { ...first, data: { v: '1' } } })
    expect(
      (await server.ask('PUT', `${path}/a`, { body: { ...first, data: { v: '2' } } })).body,
    ).toMatchObject({
      code: 409,
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    })
  })
  it('that changes nothing keeps the resourceVersion and sends no event', async () => {
    const path = `${await freshNamespace()}/configmaps`
    const first = (await server.create(path, configMap('a', { v: '1' }))).body
    const again = (await server.ask('PUT', `${path}/a`, { body: first })).body
    expect(again.metadata).toEqual(first.metadata)
    await server.ask('DELETE', `${path}/a`)
    const { resourceVersion } = first.metadata as { resourceVersion: string }
    const [event] = await server.events(`${path}?watch=1&resourceVersion=${resourceVersion}`, 1)
    expect(event?.type).toBe('DELETED')
  })
})

describe('patch', () => {
  it('merges, applies operations, and merges lists by key', async () => {
    const base = await freshNamespace()
    await server.create(`${base}/configmaps`, configMap('a', { x: '1', y: '2' }))
    expect((await server.patch(`${base}/configmaps/a`, { data: { x: null, z: '3' } })).body.data).toEqual({
      y: '2',
      z: '3',
    })
    const operations = [
      { op: 'test', path: '/data/y', value: '2' },
      { op: 'remove', path: '/data/y' },
    ]
    expect((await server.patch(`${base}/configmaps/a`, operations, 'json-patch')).body.data).toEqual({
      z: '3',
    })
    await server.create(`${base}/services`, {
      metadata: { name: 's' },
      spec: {
        ports: [
          { name: 'p1', port: 80 },
          { name: 'p2', port: 81 },
        ],
      },
    })
    const { body } = await server.patch(
      `${base}/services/s`,
      {
        spec: {
          ports: [
            { port: 81, $patch: 'delete' },
            { port: 82, name: 'p3' },
          ],
        },
      },
      'strategic-merge-patch',
    )
    expect(body.spec).toMatchObject({
      ports: [
        { name: 'p3', port: 82 },
        { name: 'p1', port: 80 },
      ],
    })
  })
  it('whose test fails is refused with 422', async () => {
    const path = `${await freshNamespace()}/configmaps`
    await server.create(path, configMap('a'))
    const { status } = await server.patch(
      `${path}/a`,
      [{ op: 'test', path: '/data/x', value: '1' }],
      'json-patch',
    )
    expect(status).toBe(422)
  })
})

describe('delete', () => {
  it('waits for finalizers and goes with the last one', async () => {
    const path = `${await freshNamespace()}/configmaps`
    await server.create(path, configMap('a', {}, { finalizers: ['ex.io/f'] }))
    expect((await server.ask('DELETE', `${path}/a`)).body.metadata).toMatchObject({
      deletionGracePeriodSeconds: 0,
    })
    expect((await server.ask('GET', `${path}/a`)).status).toBe(200)
    await server.patch(`${path}/a`, { metadata: { finalizers: null } })
    expect((await server.ask('GET', `${path}/a`)).status).toBe(404)
  })
  it('keeps to its preconditions', async () => {
    const path = `${await freshNamespace()}/configmaps`
    await server.create(path, configMap('a'))
    const { status } = await server.ask('DELETE', `${path}/a`, { body: { preconditions: { uid: 'other' } } })
    expect(status).toBe(409)
  })
  it('of a namespace empties it first', async () => {
    const before = (await server.ask('GET', '/api/v1/namespaces')).body.metadata as {
      resourceVersion: string
    }
    const base = await freshNamespace()
    await server.create(`${base}/configmaps`, configMap('a'))
    const query = `watch=1&fieldSelector=metadata.name=${base.split('/').at(-1)}`
    const gone = server.events(`/api/v1/namespaces?${query}&resourceVersion=${before.resourceVersion}`, 3)
    await server.ask('DELETE', base)
    expect((await gone).map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED'])
    expect((await server.ask('GET', `${base}/configmaps`)).body.items).toEqual([])
  })
  it('of a pod on a node gives it time, and takes it at once without grace', async () => {
    const base = await freshNamespace()
    await server.create(`${base}/serviceaccounts`, { metadata: { name: 'default' } })
    const pod = { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } }
    await server.create(`${base}/pods`, pod)
    expect((await server.ask('DELETE', `${base}/pods/p`)).body.metadata).toMatchObject({
      deletionGracePeriodSeconds: 30,
    })
    await server.ask('DELETE', `${base}/pods/p?gracePeriodSeconds=0`)
    expect((await server.ask('GET', `${base}/pods/p`)).status).toBe(404)
  })
})

describe('list', () => {
  it('is cut into pages of one state, whatever is written between them', async () => {
    const path = `${await freshNamespace()}/configmaps`
    for (const name of ['a', 'b', 'c']) await server.create(path, configMap(name))
    const first = (await server.ask('GET', `${path}?limit=2`)).body
    const metadata = first.metadata as {
      continue: string
      remainingItemCount: number
      resourceVersion: string
    }
    expect(metadata.remainingItemCount).toBe(1)
    await server.create(path, configMap('bb'))
    await server.ask('DELETE', `${path}/c`)
    const rest = (await server.ask('GET', `${path}?limit=2&continue=${metadata.continue}`)).body
    expect(rest).toMatchObject({
      metadata: { resourceVersion: metadata.resourceVersion },
      items: [{ metadata: { name: 'c' } }],
    })
  })
  it('refuses selectors that cannot be read in the words of the real server', async () => {
    const message = async (query: string) =>
      (await server.ask('GET', `/api/v1/configmaps?${query}`)).body.message
    expect(await message('labelSelector=app%3Dx%3Dy')).toBe("found '=', expected: ',' or 'end of string'")
    expect(await message('fieldSelector=data.k%3Da')).toBe(
      '"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"',
    )
  })
  it('shows tables to those who ask for them', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
    const { body } = await server.ask('GET', '/api/v1/namespaces/default', { headers: { accept } })
    expect(body).toMatchObject({
      kind: 'Table',
      rows: [{ cells: ['default', 'Active', expect.stringMatching(/^\d+s$/)] }],
    })
  })
})

it('a resource without columns of its own is shown by name and age', async () => {
  const plain = { group: 'example.org', version: 'v1', kind: 'Plain', plural: 'plains', singular: 'plain' }
  await using own = await TestServer.start({
    resources: [...builtinResources('generic'), { ...plain, namespaced: true }],
  })
  const path = '/apis/example.org/v1/namespaces/default/plains'
  await own.create(path, { metadata: { name: 'a' } })
  const { body } = await own.ask('GET', path, {
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  })
  expect(body).toMatchObject({
    kind: 'Table',
    columnDefinitions: [{ name: 'Name' }, { name: 'Age' }],
    rows: [{ cells: ['a', expect.stringMatching(/^\d+s$/)] }],
  })
})

describe('watch', () => {
  it('shows objects that enter and leave what a selector matches', async () => {
    const path = `${await freshNamespace()}/configmaps`
    const { metadata } = (await server.create(path, configMap('a'))).body as {
      metadata: { resourceVersion: string }
    }
    const seen = server.events(
      `${path}?watch=1&labelSelector=app%3Dx&resourceVersion=${metadata.resourceVersion}`,
      3,
    )
    for (const app of ['x', 'x', 'y'])
      await server.patch(`${path}/a`, { metadata: { labels: { app } }, data: { n: String(namespaces++) } })
    expect((await seen).map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED'])
  })
  it('sends the state and then says that it was all', async () => {
    const path = `${await freshNamespace()}/configmaps`
    await server.create(path, configMap('a'))
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
    const [added, bookmark] = await server.events(`${path}?${query}`, 2)
    expect(added).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } })
    expect(bookmark).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
    })
  })
  it.each([{ historyWindow: 2 }, { historySize: 500 }])('from before %o fails', async (storage) => {
    await using small = await TestServer.start({ storage })
    const path = '/api/v1/namespaces/default/configmaps'
    for (const name of ['a', 'b', 'c']) await small.create(path, configMap(name))
    const events = await small.events('/api/v1/configmaps?watch=1&resourceVersion=1', 5)
    expect(events).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }])
  })
  it('ends when its time is over', async () => {
    expect(await server.events('/api/v1/nodes?watch=1&timeoutSeconds=1', 1)).toEqual([])
  })
})

describe('who may ask', () => {
  it('with a token that is known everything, with another one or none nothing', async () => {
    for (const [token, status] of [
      ['bob-token', 200],
      ['nope', 401],
      ['', 401],
    ] as const) {
      expect((await server.ask('GET', '/api/v1/pods', { token })).status).toBe(status)
      expect((await server.ask('GET', '/readyz', { token })).status).toBe(status)
    }
  })

  it('unknown users read the health only, where they are let in', async () => {
    await using open = await TestServer.start({ authentication: { anonymous: true } })
    expect((await open.ask('GET', '/healthz', { token: '' })).text).toBe('ok')
    expect((await open.ask('GET', '/metrics', { token: '' })).status).toBe(403)
    expect((await open.ask('GET', '/api/v1/pods', { token: '' })).body).toMatchObject({
      code: 403,
      message:
        'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" at the cluster scope',
    })
  })
})

describe('clients', () => {
  it('@kubernetes/client-node reads and writes', async () => {
    const config = new KubeConfig()
    config.loadFromString(server.kubeconfig)
    const api = config.makeApiClient(CoreV1Api)
    await api.createNamespacedConfigMap({
      namespace: 'default',
      body: { metadata: { name: 'client' }, data: { a: 'b' } },
    })
    const { items } = await api.listNamespacedConfigMap({ namespace: 'default' })
    expect(items.map(({ metadata }) => metadata?.name)).toContain('client')
  })
})

it('objects and the kubeconfig of a data folder outlive the server', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'control-plane-'))
  try {
    const before = await (async () => {
      await using first = await TestServer.start({ storage: { dataDir } })
      return (await first.create('/api/v1/namespaces/default/configmaps', configMap('a', { k: 'v' }))).body
    })()
    await using second = await TestServer.start({ storage: { dataDir } })
    expect((await second.ask('GET', '/api/v1/namespaces/default/configmaps/a')).body).toEqual(before)
  } finally {
    rmSync(dataDir, { recursive: true })
  }
})
