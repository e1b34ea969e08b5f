import { expect, it } from 'vitest'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import type { AuditEvent } from '../../index.ts'
import { TestServer } from '../../testing/test-client.ts'
import { startWebhookServer, type WebhookServer } from '../../testing/webhook-server.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const API = '/apis/admissionregistration.k8s.io/v1'

const webhookOf = ({ url, caBundle }: WebhookServer, more: JsonObject = {}): JsonObject => ({
  name: 'w.example.com',
  clientConfig: { url, caBundle },
  rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  ...more,
})

const allowing = ({ apiVersion, request }: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind: 'AdmissionReview',
  response: { uid: (request as JsonObject).uid, allowed: true, ...more },
})

const patchOf = (...operations: JsonObject[]): JsonObject => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
})

it('annotates the audit event with what webhooks changed and said, and with their failures', async () => {
  const changing = await startWebhookServer((review) =>
    allowing(review, {
      ...patchOf({ op: 'add', path: '/data', value: { k: 'v' } }),
      auditAnnotations: { why: 'because' },
    }),
  )
  const broken = await startWebhookServer((_, response) => {
    response.writeHead(500).end()
  })
  const events: AuditEvent[] = []
  const audit = (event: AuditEvent) => events.push(event)
  await using server = await TestServer.start({ observer: { audit } })
  await server.create(`${API}/mutatingwebhookconfigurations`, {
    metadata: { name: 'm' },
    webhooks: [webhookOf(changing), webhookOf(broken, { name: 'b.example.com', failurePolicy: 'Ignore' })],
  })
  await server.create(`${API}/validatingwebhookconfigurations`, {
    metadata: { name: 'v' },
    webhooks: [webhookOf(broken, { name: 'b.example.com', failurePolicy: 'Ignore' })],
  })
  expect((await server.create(CONFIG_MAPS, { metadata: { name: 'a' } })).status).toBe(201)
  await changing.close()
  await broken.close()
  const ofConfigMap = () => events.find(({ objectRef }) => objectRef?.resource === 'configmaps')
  await expect
    .poll(() => ofConfigMap()?.annotations)
    .toEqual({
      'authorization.k8s.io/decision': 'allow',
      'w.example.com/why': 'because',
      'mutation.webhook.admission.k8s.io/round_0_index_0':
        '{"configuration":"m","webhook":"w.example.com","mutated":true}',
      'mutation.webhook.admission.k8s.io/round_0_index_1':
        '{"configuration":"m","webhook":"b.example.com","mutated":false}',
      'failed-open.mutation.webhook.admission.k8s.io/round_0_index_1': 'b.example.com',
      'failed-open.validating.webhook.admission.k8s.io/round_0_index_0': 'b.example.com',
    })
})

it('lets no webhook change what an object is, or harm the server by what it answers', async () => {
  let response: JsonObject = {}
  const webhook = await startWebhookServer((review) => allowing(review, response))
  await using server = await TestServer.start()
  await server.create(`${API}/mutatingwebhookconfigurations`, {
    metadata: { name: 'm' },
    webhooks: [webhookOf(webhook)],
  })
  const created = async (more: JsonObject) => {
    response = more
    return await server.create(CONFIG_MAPS, { metadata: { generateName: 'a-' } })
  }
  const kind = await created(patchOf({ op: 'replace', path: '/kind', value: 'Secret' }))
  expect(kind.body).toMatchObject({ code: 500, message: expect.stringContaining('no kind "Secret"') })
  const namespace = await created(patchOf({ op: 'add', path: '/metadata/namespace', value: 'kube-system' }))
  expect(namespace.status).toBe(400)
  const gone = await created(patchOf({ op: 'remove', path: '/metadata' }))
  expect(gone.status).toBe(422)
  const wrong = await created(patchOf({ op: 'add', path: '/data', value: [1] }))
  expect(wrong.body).toMatchObject({ code: 500, reason: 'InternalError' })
  const owners = await created(
    patchOf({ op: 'add', path: '/metadata/managedFields', value: [{ operation: 'x' }] }),
  )
  expect(String(owners.headers.warning)).toContain(
    '.metadata.managedFields was in an invalid state after admission',
  )
  const polluting = await created(
    patchOf({ op: 'add', path: '/data', value: JSON.parse('{"__proto__":"x"}') }),
  )
  expect(polluting.status).toBeLessThan(500)
  expect({}).not.toHaveProperty('x')
  const loud = await created({ warnings: Array.from({ length: 1000 }, (_, index) => `${index}`.repeat(50)) })
  expect(loud.status).toBe(201)
  expect(String(loud.headers.warning).length).toBeLessThan(8192)
  await webhook.close()
})

it('lets no webhook make another kind of a custom resource', async () => {
  const webhook = await startWebhookServer((review) =>
    allowing(
      review,
      patchOf(
        { op: 'replace', path: '/kind', value: 'Other' },
        { op: 'replace', path: '/apiVersion', value: 'other.example.com/v1' },
      ),
    ),
  )
  await using server = await TestServer.start({ apis: { crds: true } })
  const [group, things] = ['things.example.com', '/apis/things.example.com/v1/namespaces/default/things']
  const openAPIV3Schema = { type: 'object' }
  await server.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  })
  await expect.poll(async () => (await server.ask('GET', things)).status).toBe(200)
  await server.create(`${API}/mutatingwebhookconfigurations`, {
    metadata: { name: 'm' },
    webhooks: [
      webhookOf(webhook, {
        rules: [{ operations: ['*'], apiGroups: [group], apiVersions: ['*'], resources: ['*'] }],
      }),
    ],
  })
  const thing = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'a' } }
  expect((await server.create(things, thing)).body).toMatchObject({ kind: 'Status', code: 500 })
  expect((await server.ask('GET', `${things}/a`)).status).toBe(404)
  await webhook.close()
})

it('sends and takes integers that JavaScript cannot hold digit by digit', async () => {
  const sent = '9007199254740993'
  const answered = '9223372036854775807'
  const webhook = await startWebhookServer((review) => {
    const patch = `[{"op":"add","path":"/metadata/generation","value":${answered}}]`
    return allowing(review, { patchType: 'JSONPatch', patch: Buffer.from(patch).toString('base64') })
  })
  await using server = await TestServer.start()
  await server.create(`${API}/mutatingwebhookconfigurations`, {
    metadata: { name: 'm' },
    webhooks: [webhookOf(webhook)],
  })
  const { status, text } = await server.create(CONFIG_MAPS, `{"metadata":{"name":"a","generation":${sent}}}`)
  await webhook.close()
  expect(webhook.requests[0].request.object.metadata.generation).toBe(BigInt(sent))
  expect([status, text]).toEqual([201, expect.stringContaining(`"generation":${answered},`)])
})
