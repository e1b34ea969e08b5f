import { expect, it, vi } from 'vitest'
import type { Json, RawClient } from '../../../test/support/raw-client.ts'
import { TestServer } from '../testing/test-client.ts'

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'
const start = () =>
  TestServer.start({ controllers: ['validatingadmissionpolicy-status'], apis: { crds: true } })

const policy = (name: string, resource: Json, spec: Json): Json => ({
  metadata: { name },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], ...resource }],
    },
    ...spec,
  },
})

async function statusOf(client: RawClient, name: string): Promise<Json> {
  return await vi.waitFor(async () => {
    const { body } = await client.get(`${POLICIES}/${name}`)
    expect(body.status.observedGeneration).toBe(body.metadata.generation)
    return body.status
  }, 15_000)
}

it('A policy whose expressions fit the kinds that it is about has no warnings', async () => {
  await using server = await start()
  const { client } = server
  const validations = [
    {
      expression: "object.spec.containers.all(c, c.image != '' && variables.labelled)",
      messageExpression: "'of ' + object.metadata.name + params.data.x",
    },
  ]
  const variables = [{ name: 'labelled', expression: "'a' in object.metadata.labels" }]
  const spec = { validations, variables, paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }
  await client.post(POLICIES, policy('right', { resources: ['pods'] }, spec))
  expect(await statusOf(client, 'right')).toEqual({ observedGeneration: 1, typeChecking: {} })
})

it('Fields that a built-in kind does not have and values of other types are reported', async () => {
  await using server = await start()
  const { client } = server
  const validations = [
    { expression: "object.spec.replicas > 1 && object.metadata.name == 'a'" },
    { expression: 'object.spec.nodeName > 1', messageExpression: 'string(object.spec.nodeName + 1)' },
    { expression: 'params.datum.x == 1' },
  ]
  const spec = { validations, paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }
  await client.post(POLICIES, policy('wrong', { resources: ['pods'] }, spec))
  const { typeChecking } = await statusOf(client, 'wrong')
  expect(typeChecking.expressionWarnings).toEqual([
    {
      fieldRef: 'spec.validations[0].expression',
      warning:
        "/v1, Kind=Pod: compilation failed: ERROR: <input>:1:12: undefined field 'replicas'\n | object.spec.replicas > 1 && object.metadata.name == 'a'\n | ...........^\n",
    },
    {
      fieldRef: 'spec.validations[1].expression',
      warning: expect.stringContaining("found no matching overload for '_>_' applied to '(string, int)'"),
    },
    {
      fieldRef: 'spec.validations[1].messageExpression',
      warning: expect.stringContaining("found no matching overload for '_+_' applied to '(string, int)'"),
    },
    {
      fieldRef: 'spec.validations[2].expression',
      warning: expect.stringContaining("undefined field 'datum'"),
    },
  ])
})

it('Custom resources are checked by their schemas, with the metadata of all objects', async () => {
  await using server = await start()
  const { client } = server
  const openAPIV3Schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
  }
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }
  await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [version],
    },
  })
  await expect.poll(async () => (await client.get('/apis/example.com/v1/widgets')).status).toBe(200)
  const validations = [
    { expression: "object.spec.size > 1 && object.metadata.labels['a'] == 'b'" },
    { expression: "object.spec.size == 'large'" },
  ]
  const rule = { apiGroups: ['example.com'], resources: ['widgets'] }
  await client.post(POLICIES, policy('custom', rule, { validations }))
  const { typeChecking } = await statusOf(client, 'custom')
  expect(typeChecking.expressionWarnings.map(({ fieldRef }: Json) => fieldRef)).toEqual([
    'spec.validations[1].expression',
  ])
  expect(typeChecking.expressionWarnings[0].warning).toContain(
    'example.com/v1, Kind=Widget: compilation failed',
  )
})

it('What a wildcard is about is not checked, and a changed policy is checked again', async () => {
  await using server = await start()
  const { client } = server
  const wild = policy('wild', { resources: ['*'] }, { validations: [{ expression: 'object.nope == 1' }] })
  await client.post(POLICIES, wild)
  expect(await statusOf(client, 'wild')).toEqual({ observedGeneration: 1, typeChecking: {} })
  const { resourceRules } = policy('', { resources: ['configmaps'] }, {}).spec.matchConstraints
  await client.patch(`${POLICIES}/wild`, { spec: { matchConstraints: { resourceRules } } })
  const { typeChecking } = await statusOf(client, 'wild')
  expect(typeChecking.expressionWarnings).toHaveLength(1)
})
