import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { objectAt, objectsAt, stringAt } from './apimachinery/json/values.ts'
import { builtinResources, type ResourceDefinition } from './index.ts'
import { TestServer } from './testing/test-client.ts'

const configMap = (name: string, data = {}) => ({ metadata: { name }, data })

it('a resource without columns of its own is shown by name and age', async () => {
  const plain = { group: 'example.org', version: 'v1', kind: 'Plain', plural: 'plains', singular: 'plain' }
  await using own = await TestServer.start({
    apis: { resources: [...builtinResources('generic'), { ...plain, namespaced: true }] },
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

it('an idle connection stays open for as long as one to kube-apiserver', async () => {
  await using server = await TestServer.start()
  const { headers } = await server.ask('GET', '/version')
  expect(headers['keep-alive']).toBe('timeout=90')
})

it.each([{ historyWindow: 2 }, { historySize: 500 }])('a watch from before %o fails', async (storage) => {
  await using small = await TestServer.start({ storage })
  const path = '/api/v1/namespaces/default/configmaps'
  for (const name of ['a', 'b', 'c']) await small.create(path, configMap(name))
  const events = await small.events('/api/v1/configmaps?watch=1&resourceVersion=1', 5)
  expect(events).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }])
})

it('objects and the kubeconfig of a data folder outlive the server', async () => {
  const dataDir = temporaryFolder()
  const before = await (async () => {
    await using first = await TestServer.start({ storage: { dataDir } })
    return (await first.create('/api/v1/namespaces/default/configmaps', configMap('a', { k: 'v' }))).body
  })()
  await using second = await TestServer.start({ storage: { dataDir } })
  expect((await second.ask('GET', '/api/v1/namespaces/default/configmaps/a')).body).toEqual(before)
})

describe.each(['ca.key', 'sa.key'])('the file %s of a data folder', (name) => {
  it('is not made by a second server, which is refused', async () => {
    const dataDir = temporaryFolder()
    await using _ = await TestServer.start({ storage: { dataDir } })
    rmSync(join(dataDir, name))
    await expect(TestServer.start({ storage: { dataDir } })).rejects.toThrow('another process has it open')
    expect(existsSync(join(dataDir, name))).toBe(false)
  })

  it('is made again where a start that was cut off has left it empty', async () => {
    const dataDir = temporaryFolder()
    writeFileSync(join(dataDir, name), '')
    await using _ = await TestServer.start({ storage: { dataDir } })
    expect(readFileSync(join(dataDir, name), 'utf8')).toContain('PRIVATE KEY')
  })

  it('is named by the error where it is damaged', async () => {
    const dataDir = temporaryFolder()
    await (await TestServer.start({ storage: { dataDir } }))[Symbol.asyncDispose]()
    writeFileSync(join(dataDir, name), 'damaged')
    await expect(TestServer.start({ storage: { dataDir } })).rejects.toThrow(`${name}: it is no private key`)
  })
})

it('servers of one process begin with the same objects, which have uids of their own', async () => {
  const paths = ['rbac.authorization.k8s.io/v1/roles', 'rbac.authorization.k8s.io/v1/clusterrolebindings']
  const listed = [...paths, 'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations']
  const start = async (resources: ResourceDefinition[]): Promise<{ same: unknown; uids: string[] }> => {
    await using server = await TestServer.start({ authorization: 'RBAC', apis: { resources } })
    const answers = await Promise.all(listed.map((path) => server.ask('GET', `/apis/${path}`)))
    const objects = answers.flatMap(({ body }) => objectsAt(body, 'items'))
    const same = JSON.stringify(objects).replaceAll(/"\d+"|[-0-9a-f]{36}|\d{4}-[-\d]+T[:\d]+Z/g, '')
    return { same, uids: objects.map((object) => stringAt(objectAt(object, 'metadata'), 'uid')) }
  }
  const resources = builtinResources('generic')
  // Of copies of the definitions nothing is known from an earlier start.
  const first = await start(resources.map((definition) => ({ ...definition })))
  const others = [await start(resources), await start(resources)]
  expect(first.uids.length).toBeGreaterThan(60)
  for (const { same } of others) expect(same).toBe(first.same)
  const uids = [first, ...others].flatMap((server) => server.uids)
  expect(new Set(uids).size).toBe(uids.length)
})
