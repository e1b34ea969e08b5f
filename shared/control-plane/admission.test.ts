import { expect, it } from 'vitest'
import { objectAt } from './apimachinery/json/values.ts'
import { type AdmissionAttributes, type AdmissionPlugin, ApiError, labelsOf } from './index.ts'
import { TestServer } from './testing/test-client.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const configMap = (name: string, data: Record<string, string> = {}) => ({ metadata: { name }, data })

const ofConfigMaps = (plugin: Omit<AdmissionPlugin, 'name' | 'handles'>): AdmissionPlugin => ({
  name: 'test',
  handles: ({ resource }) => resource.resource === 'configmaps',
  ...plugin,
})

function recorder() {
  const seen: string[] = []
  const note =
    (phase: string) =>
    ({ operation, subresource, name, dryRun, object, oldObject }: AdmissionAttributes) => {
      const parts = [phase, operation, name, subresource, dryRun ? 'dry' : '']
      seen.push(
        `${parts.filter((part) => part !== '').join(' ')} ${object ? 'new' : '-'} ${oldObject ? 'old' : '-'}`,
      )
    }
  return { seen, plugin: ofConfigMaps({ mutate: note('mutate'), validate: note('validate') }) }
}

it('shows every write of a client to a plugin, first to change it and then as it is stored', async () => {
  const { seen, plugin } = recorder()
  await using server = await TestServer.start({ admission: [plugin] })
  await server.create(CONFIG_MAPS, configMap('a'))
  await server.ask('PUT', `${CONFIG_MAPS}/a`, { body: configMap('a', { k: 'v' }) })
  await server.patch(`${CONFIG_MAPS}/a?dryRun=All`, { data: { k: 'w' } })
  await server.ask('DELETE', `${CONFIG_MAPS}/a`)
  expect(seen).toEqual([
    'mutate CREATE a new -',
    'validate CREATE a new -',
    'mutate UPDATE a new old',
    'validate UPDATE a new old',
    'mutate UPDATE a dry new old',
    'validate UPDATE a dry new old',
    'mutate DELETE a - old',
    'validate DELETE a - old',
  ])
})

it('shows each object of a deletecollection without a name', async () => {
  const { seen, plugin } = recorder()
  await using server = await TestServer.start({ admission: [plugin] })
  for (const name of ['a', 'b']) await server.create(CONFIG_MAPS, configMap(name))
  seen.length = 0
  await server.ask('DELETE', CONFIG_MAPS)
  expect(seen.filter((line) => line.startsWith('validate'))).toEqual([
    'validate DELETE - old',
    'validate DELETE - old',
  ])
})

it('refuses what a plugin of a few lines does not want', async () => {
  const plugin: AdmissionPlugin = {
    name: 'OwnerRequired',
    handles: ({ operation, resource }) => operation === 'CREATE' && resource.resource === 'configmaps',
    validate: ({ object }) => {
      if (object && !labelsOf(object).owner) throw new ApiError(403, 'Forbidden', 'label owner is missing')
    },
  }
  await using server = await TestServer.start({ admission: [plugin] })
  expect((await server.create(CONFIG_MAPS, configMap('a'))).status).toBe(403)
  const owned = { metadata: { name: 'a', labels: { owner: 'me' } } }
  expect((await server.create(CONFIG_MAPS, owned)).status).toBe(201)
})

it('answers what a plugin throws, its warnings and its annotations, and stores nothing', async () => {
  const annotations: unknown[] = []
  const plugin = ofConfigMaps({
    validate: ({ warn, annotate }) => {
      warn('careful')
      annotate('example.com/seen', 'yes')
      annotate('example.com/seen', 'again')
      throw new ApiError(418, 'Teapot', 'no way')
    },
  })
  const audit = ({ annotations: found, verb }: { annotations?: unknown; verb: string }) => {
    if (verb === 'create') annotations.push(found)
  }
  await using server = await TestServer.start({ admission: [plugin], observer: { audit } })
  const { status, body, headers } = await server.create(CONFIG_MAPS, configMap('a'))
  expect([status, body.message, headers.warning]).toEqual([418, 'no way', '299 - "careful"'])
  expect(annotations).toEqual([{ 'authorization.k8s.io/decision': 'allow', 'example.com/seen': 'yes' }])
  expect((await server.ask('GET', `${CONFIG_MAPS}/a`)).status).toBe(404)
})

/** Creates a plugin that lets the first request wait in `phase` until the test says so. */
function holding(phase: 'mutate' | 'validate', operation: string) {
  const arrived = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  let first = true
  const hold = async (attributes: AdmissionAttributes) => {
    if (!first || attributes.operation !== operation) return
    first = false
    arrived.resolve()
    await release.promise
  }
  return {
    plugin: ofConfigMaps({ [phase]: hold }),
    arrived: arrived.promise,
    release: () => release.resolve(),
  }
}

for (const phase of ['mutate', 'validate'] as const) {
  it(`loses no write of another client while a plugin is at work (${phase})`, async () => {
    const { plugin, arrived, release } = holding(phase, 'UPDATE')
    await using server = await TestServer.start({ admission: [plugin] })
    await server.create(CONFIG_MAPS, configMap('a'))
    const slow = server.patch(`${CONFIG_MAPS}/a`, { data: { slow: '1' } })
    await arrived
    expect((await server.patch(`${CONFIG_MAPS}/a`, { data: { fast: '1' } })).status).toBe(200)
    release()
    expect((await slow).body.data).toEqual({ fast: '1', slow: '1' })
  })
}

it('answers a conflict where the object has changed that the client named', async () => {
  const { plugin, arrived, release } = holding('validate', 'UPDATE')
  await using server = await TestServer.start({ admission: [plugin] })
  const created = (await server.create(CONFIG_MAPS, configMap('a'))).body
  const slow = server.ask('PUT', `${CONFIG_MAPS}/a`, { body: { ...created, data: { slow: '1' } } })
  await arrived
  await server.patch(`${CONFIG_MAPS}/a`, { data: { fast: '1' } })
  release()
  expect(await slow).toMatchObject({ status: 409, body: { reason: 'Conflict' } })
  expect((await server.ask('GET', `${CONFIG_MAPS}/a`)).body.data).toEqual({ fast: '1' })
})

it('creates nothing twice, nor in a namespace that has gone meanwhile', async () => {
  const twice = holding('validate', 'CREATE')
  await using server = await TestServer.start({ admission: [twice.plugin] })
  const slow = server.create(CONFIG_MAPS, configMap('a'))
  await twice.arrived
  expect((await server.create(CONFIG_MAPS, configMap('a'))).status).toBe(201)
  twice.release()
  expect(await slow).toMatchObject({ status: 409, body: { reason: 'AlreadyExists' } })

  const gone = holding('validate', 'CREATE')
  await using other = await TestServer.start({ admission: [gone.plugin] })
  await other.create('/api/v1/namespaces', { metadata: { name: 'short' } })
  const late = other.create('/api/v1/namespaces/short/configmaps', configMap('a'))
  await gone.arrived
  await other.ask('DELETE', '/api/v1/namespaces/short')
  await expect.poll(async () => (await other.ask('GET', '/api/v1/namespaces/short')).status).toBe(404)
  gone.release()
  expect(await late).toMatchObject({ status: 404, body: { details: { kind: 'namespaces' } } })
})

it('updates by an apply what another client has created meanwhile', async () => {
  const { plugin, arrived, release } = holding('validate', 'CREATE')
  await using server = await TestServer.start({ admission: [plugin] })
  const slow = server.ask('PATCH', `${CONFIG_MAPS}/a?fieldManager=slow`, {
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { slow: '1' } },
    headers: { 'content-type': 'application/apply-patch+yaml' },
  })
  await arrived
  await server.create(CONFIG_MAPS, configMap('a', { fast: '1' }))
  release()
  expect(await slow).toMatchObject({ status: 200, body: { data: { fast: '1', slow: '1' } } })
})

it('deletes nothing that is no longer what the plugins have seen', async () => {
  const { plugin, arrived, release } = holding('validate', 'DELETE')
  await using server = await TestServer.start({ admission: [plugin] })
  await server.create(CONFIG_MAPS, configMap('a'))
  const slow = server.ask('DELETE', `${CONFIG_MAPS}/a`)
  await arrived
  await server.patch(`${CONFIG_MAPS}/a`, { metadata: { finalizers: ['example.com/held'] } })
  release()
  expect(objectAt((await slow).body, 'metadata')).toHaveProperty('deletionTimestamp')
})

it('leaves the writes of its own controllers alone', async () => {
  const seen: string[] = []
  const plugin: AdmissionPlugin = {
    name: 'test',
    validate: ({ operation, resource, name }) => {
      seen.push(`${operation} ${resource.resource} ${name}`)
    },
  }
  await using server = await TestServer.start({ admission: [plugin] })
  await server.create('/api/v1/namespaces', { metadata: { name: 'short' } })
  await server.create('/api/v1/namespaces/short/configmaps', configMap('a'))
  await server.ask('DELETE', '/api/v1/namespaces/short')
  await expect.poll(async () => (await server.ask('GET', '/api/v1/namespaces/short')).status).toBe(404)
  expect(seen).toEqual(['CREATE namespaces short', 'CREATE configmaps a', 'DELETE namespaces short'])
})
