import { expect, it } from 'vitest'
import type { RawClient } from '../../../../test/support/raw-client.ts'
import { TestServer } from '../../testing/test-client.ts'

const POLICIES = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies'
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings'
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

async function mutate(client: RawClient, expressions: readonly string[]): Promise<void> {
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }]
  const policy = {
    metadata: { name: 'hostile' },
    spec: {
      matchConstraints: { resourceRules: rules },
      reinvocationPolicy: 'Never',
      mutations: expressions.map((expression) => ({ patchType: 'JSONPatch', jsonPatch: { expression } })),
    },
  }
  expect((await client.post(POLICIES, policy)).status).toBe(201)
  const binding = { metadata: { name: 'hostile' }, spec: { policyName: 'hostile' } }
  expect((await client.post(BINDINGS, binding)).status).toBe(201)
}

// Applied again for each operation this took minutes, in which nobody else was answered.
it('a patch of a policy that fails after thousands of operations on a large object is made once', async () => {
  await using scene = await TestServer.start({ authorization: 'RBAC' })
  const { client } = scene
  await mutate(client, [
    "object.data.list.split(',').map(i, JSONPatch{op: 'add', path: '/data/n', value: i}) + [JSONPatch{op: 'remove', path: '/none'}]",
  ])
  const data = { list: ','.repeat(9000), large: 'z'.repeat(1_000_000) }
  const answer = await client.post(CONFIG_MAPS, { metadata: { name: 'large' }, data })
  expect(answer.status).toBe(403)
  expect(answer.body.message).toContain('JSON Patch')
  expect((await client.get('/readyz')).text).toBe('ok')
})

it('a policy that doubles a text again and again is stopped by its cost, soon', {
  // Texts become as large as the cost allows, for which a crowded machine takes its time.
  timeout: 180_000,
}, async () => {
  await using scene = await TestServer.start({ authorization: 'RBAC' })
  const { client } = scene
  const doubling = "[JSONPatch{op: 'add', path: '/data/a', value: object.data.a + object.data.a}]"
  await mutate(client, Array(60).fill(doubling))
  const answer = await client.post(CONFIG_MAPS, { metadata: { name: 'doubled' }, data: { a: 'x' } })
  expect(answer.status).toBe(403)
  expect(answer.body.message).toContain('cost limit exceeded')
})
