import { expect, test } from 'vitest'
import { startHostileScene } from './server.ts'

const POLICIES = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies'
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings'
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

// Applied again for each operation this took minutes, in which nobody else was answered.
test('a patch of a policy that fails after thousands of operations on a large object is made once', async () => {
  await using scene = await startHostileScene()
  const { admin } = scene
  const expression =
    "object.data.list.split(',').map(i, JSONPatch{op: 'add', path: '/data/n', value: i}) + [JSONPatch{op: 'remove', path: '/none'}]"
  const policy = {
    metadata: { name: 'failing' },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
        ],
      },
      reinvocationPolicy: 'Never',
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
    },
  }
  expect((await admin.post(POLICIES, policy)).status).toBe(201)
  const binding = { metadata: { name: 'failing' }, spec: { policyName: 'failing' } }
  expect((await admin.post(BINDINGS, binding)).status).toBe(201)
  const data = { list: ','.repeat(9000), large: 'z'.repeat(1_000_000) }
  const answer = await admin.post(CONFIG_MAPS, { metadata: { name: 'large' }, data })
  expect(answer.status).toBe(403)
  expect(answer.body.message).toContain('JSON Patch')
  expect((await admin.get('/readyz')).text).toBe('ok')
})
