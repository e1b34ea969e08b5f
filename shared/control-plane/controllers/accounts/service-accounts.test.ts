import { expect, it } from 'vitest'
import { TestServer } from '../../testing/test-client.ts'

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts'
const SECRETS = '/api/v1/namespaces/default/secrets'
const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews'

const start = () => TestServer.start({ controllers: ['namespace', 'serviceaccount', 'serviceaccount-token'] })
const tokenSecret = (name: string, account: string) => ({
  metadata: { name, annotations: { 'kubernetes.io/service-account.name': account } },
  type: 'kubernetes.io/service-account-token',
})
const statusOf = (server: TestServer, path: string) =>
  expect.poll(async () => (await server.ask('GET', path)).status)
const decoded = (text: unknown) => Buffer.from(String(text), 'base64').toString()

async function filledSecret(server: TestServer, name: string) {
  const path = `${SECRETS}/${name}`
  await expect.poll(async () => (await server.ask('GET', path)).body.data).toHaveProperty('token')
  return (await server.ask('GET', path)).body
}

it('takes a token for no good once its secret is gone or holds another one', async () => {
  await using server = await start()
  await server.create(SECRETS, tokenSecret('short', 'default'))
  const first = decoded(((await filledSecret(server, 'short')).data as { token: string }).token)
  const isGood = async (token: string) =>
    (await server.ask('POST', REVIEWS, { body: {}, token })).status !== 401
  expect(await isGood(first)).toBe(true)
  expect(await isGood(`${first}x`)).toBe(false)
  await server.patch(`${SECRETS}/short`, { data: { token: Buffer.from('other').toString('base64') } })
  expect(await isGood(first)).toBe(false)
  await server.patch(`${SECRETS}/short`, { data: { token: Buffer.from(first).toString('base64') } })
  expect(await isGood(first)).toBe(true)
  await server.ask('DELETE', `${SECRETS}/short`)
  expect(await isGood(first)).toBe(false)
})

it('removes secrets of accounts that are not there, and with their account', async () => {
  await using server = await start()
  await server.create(SECRETS, tokenSecret('early', 'nobody'))
  await statusOf(server, `${SECRETS}/early`).toBe(404)
  await server.create(ACCOUNTS, { metadata: { name: 'app' } })
  await server.create(SECRETS, tokenSecret('app-token', 'app'))
  await filledSecret(server, 'app-token')
  await server.ask('DELETE', `${ACCOUNTS}/app`)
  await statusOf(server, `${SECRETS}/app-token`).toBe(404)
})

it('takes a removed secret off the list of its account', async () => {
  await using server = await start()
  await server.create(ACCOUNTS, {
    metadata: { name: 'app' },
    secrets: [{ name: 'a', kind: 'Secret' }, { name: 'b' }],
  })
  await server.create(SECRETS, tokenSecret('a', 'app'))
  await filledSecret(server, 'a')
  await server.ask('DELETE', `${SECRETS}/a`)
  await expect
    .poll(async () => (await server.ask('GET', `${ACCOUNTS}/app`)).body.secrets)
    .toEqual([{ name: 'b' }])
})
