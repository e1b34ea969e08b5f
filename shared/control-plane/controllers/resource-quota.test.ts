import { expect, it } from 'vitest'
import type { JsonObject } from '../apimachinery/json/exact-numbers.ts'
import { TestServer } from '../testing/test-client.ts'

const QUOTAS = '/api/v1/namespaces/default/resourcequotas'
const SECRETS = '/api/v1/namespaces/default/secrets'
const SERVICES = '/api/v1/namespaces/default/services'
const PODS = '/api/v1/namespaces/default/pods'
const quota = (hard: JsonObject, spec: JsonObject = {}) => ({
  metadata: { name: 'quota' },
  spec: { hard, ...spec },
})
const pod = (name: string, cpu: string) => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }] },
})

const start = () => TestServer.start({ controllers: ['namespace', 'serviceaccount', 'resourcequota'] })

/** Returns the status of the quota, which the controller writes a moment after what causes it. */
const statusOf = (server: TestServer) =>
  expect.poll(async () => (await server.ask('GET', `${QUOTAS}/quota`)).body.status)

it('counts pods until they are over, and Services as they are', async () => {
  await using server = await start()
  await server.create(QUOTAS, quota({ pods: '2', 'requests.cpu': '1', 'services.nodeports': '1' }))
  const hard = { pods: '2', 'requests.cpu': '1', 'services.nodeports': '1' }
  await statusOf(server).toEqual({
    hard,
    used: { pods: '0', 'requests.cpu': '0', 'services.nodeports': '0' },
  })
  expect((await server.create(PODS, pod('p', '400m'))).status).toBe(201)
  const service = { metadata: { name: 's' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } }
  expect((await server.create(SERVICES, service)).status).toBe(201)
  await statusOf(server).toEqual({
    hard,
    used: { pods: '1', 'requests.cpu': '400m', 'services.nodeports': '1' },
  })
  await server.patch(`${PODS}/p/status`, { status: { phase: 'Succeeded' } })
  await server.patch(`${SERVICES}/s`, { spec: { type: 'ClusterIP' } })
  await statusOf(server).toEqual({
    hard,
    used: { pods: '0', 'requests.cpu': '0', 'services.nodeports': '0' },
  })
})

it('counts in a scope what is in it', async () => {
  await using server = await start()
  await server.create(PODS, pod('sized', '1m'))
  await server.create(PODS, { metadata: { name: 'any' }, spec: { containers: [{ name: 'c', image: 'i' }] } })
  await server.create(QUOTAS, quota({ pods: '5' }, { scopes: ['BestEffort'] }))
  await statusOf(server).toEqual({ hard: { pods: '5' }, used: { pods: '1' } })
})

it('is never exceeded by many clients together', async () => {
  await using server = await start()
  await server.create(QUOTAS, quota({ 'count/secrets': '10' }))
  await statusOf(server).toMatchObject({ used: { 'count/secrets': '0' } })
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => server.create(SECRETS, { metadata: { name: `s-${index}` } })),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
  expect(answers.filter(({ status }) => status === 403)).toHaveLength(30)
  const { items } = (await server.ask('GET', SECRETS)).body
  expect(items).toHaveLength(10)
})
