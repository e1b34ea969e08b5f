import { expect, it } from 'vitest'
import { TestServer } from '../../testing/test-client.ts'

const GROUP = '/apis/flowcontrol.apiserver.k8s.io/v1'
const SCHEMAS = `${GROUP}/flowschemas`
const LEVELS = `${GROUP}/prioritylevelconfigurations`
const AUTO_UPDATE = 'apf.kubernetes.io/autoupdate-spec'

const start = () => TestServer.start({ controllers: [] })
const poll = (server: TestServer, path: string) =>
  expect.poll(async () => (await server.ask('GET', path)).body)

it('brings back objects of every cluster that are deleted', async () => {
  await using server = await start()
  const { uid } = (await server.ask('GET', `${SCHEMAS}/probes`)).body.metadata as { uid: string }
  await server.ask('DELETE', `${SCHEMAS}/probes`)
  await poll(server, `${SCHEMAS}/probes`).toMatchObject({ spec: { matchingPrecedence: 2 } })
  expect((await server.ask('GET', `${SCHEMAS}/probes`)).body.metadata).not.toMatchObject({ uid })
  await server.ask('DELETE', `${LEVELS}/exempt`)
  await poll(server, `${LEVELS}/exempt`).toMatchObject({ spec: { type: 'Exempt' } })
})

it('brings back specs, unless the cluster keeps its own', async () => {
  await using server = await start()
  const path = `${LEVELS}/workload-low`
  await server.patch(path, { spec: { limited: { nominalConcurrencyShares: 7 } } })
  await poll(server, path).toMatchObject({ spec: { limited: { nominalConcurrencyShares: 100 } } })
  const own = { limited: { nominalConcurrencyShares: 8 } }
  await server.patch(path, { metadata: { annotations: { [AUTO_UPDATE]: 'false' } }, spec: own })
  // What comes later has been looked at later.
  await server.ask('DELETE', `${LEVELS}/system`)
  await poll(server, `${LEVELS}/system`).toMatchObject({ kind: 'PriorityLevelConfiguration' })
  expect((await server.ask('GET', path)).body).toMatchObject({
    metadata: { annotations: { [AUTO_UPDATE]: 'false' } },
    spec: own,
  })
})

it('removes objects that claim to be of every cluster and are not', async () => {
  await using server = await start()
  const spec = { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } }
  await server.create(LEVELS, { metadata: { name: 'former', annotations: { [AUTO_UPDATE]: 'true' } }, spec })
  await server.create(LEVELS, { metadata: { name: 'own' }, spec })
  await poll(server, `${LEVELS}/former`).toMatchObject({ reason: 'NotFound' })
  expect((await server.ask('GET', `${LEVELS}/own`)).status).toBe(200)
})

it('names for each request the first schema by precedence whose level exists', async () => {
  await using server = await start()
  const subjects = [{ kind: 'User', user: { name: '*' } }]
  const resourceRules = [
    { verbs: ['get'], apiGroups: [''], resources: ['nodes/status'], namespaces: [], clusterScope: true },
  ]
  const nonResourceRules = [{ verbs: ['get'], nonResourceURLs: ['/version/*'] }]
  // Nobody comes before `exempt`, which administrators have.
  const headers = { 'impersonate-user': 'somebody' }
  const schema = (name: string, level: string, matchingPrecedence: number) =>
    server.create(SCHEMAS, {
      metadata: { name },
      spec: {
        priorityLevelConfiguration: { name: level },
        matchingPrecedence,
        rules: [{ subjects, resourceRules, nonResourceRules }],
      },
    })
  const missing = (await schema('missing', 'nowhere', 3)).body.metadata as { uid: string }
  const second = (await schema('second', 'system', 5)).body.metadata as { uid: string }
  const first = (await schema('first', 'system', 5)).body.metadata as { uid: string }
  const reported = async (path: string) =>
    (await server.ask('GET', path, { headers })).headers['x-kubernetes-pf-flowschema-uid']
  expect(await reported('/api/v1/nodes/n/status')).toBe(first.uid)
  expect(await reported('/version/x')).toBe(first.uid)
  const level = (await server.ask('GET', `${LEVELS}/system`)).body.metadata as { uid: string }
  expect((await server.ask('GET', '/version/x', { headers })).headers).toMatchObject({
    'x-kubernetes-pf-prioritylevel-uid': level.uid,
  })
  const others = [await reported('/api/v1/nodes/n'), await reported('/versions')]
  for (const { uid } of [missing, first, second]) expect(others).not.toContain(uid)
})

it('changes what a condition says of a schema in its place, and its time with its status alone', async () => {
  await using server = await start()
  const path = `${SCHEMAS}/pending`
  const spec = (name: string) => ({ spec: { priorityLevelConfiguration: { name } } })
  const other = { type: 'Reviewed', status: 'True' }
  const time = '2020-01-01T00:00:00Z'
  await server.create(SCHEMAS, { metadata: { name: 'pending' }, ...spec('nowhere') })
  const dangling = async () => {
    const { conditions } = (await server.ask('GET', path)).body.status as { conditions: unknown[] }
    return conditions
  }
  await expect.poll(dangling).toMatchObject([{ type: 'Dangling', status: 'True' }])
  const [condition] = (await dangling()) as object[]
  const conditions = [{ ...condition, lastTransitionTime: time }, other]
  await server.patch(`${path}/status`, { status: { conditions } })
  await server.patch(path, spec('elsewhere'))
  await expect
    .poll(dangling)
    .toMatchObject([{ message: expect.stringContaining('elsewhere'), lastTransitionTime: time }, other])
  await server.patch(path, spec('system'))
  await expect.poll(dangling).toMatchObject([{ type: 'Dangling', status: 'False' }, other])
  expect(await dangling()).not.toMatchObject([{ lastTransitionTime: time }, other])
})
