import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../apimachinery/json/exact-numbers.ts'
import { TestServer } from '../testing/test-client.ts'

/** Waits longer for a check, on a machine that has other work. */
const patiently = (check: () => Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 15_000, interval: 20 })
vi.setConfig({ testTimeout: 30_000 })

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets'

const widgets = (schema: JsonObject, version: JsonObject = {}): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
  },
})
const widget = (name: string, content: JsonObject = {}): JsonObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  ...content,
})
const withSpec = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties: { spec: { type: 'object', properties } },
})

async function define(server: TestServer, crd: JsonObject): Promise<void> {
  const { status, text } = await server.create(CRDS, crd)
  expect(status, text).toBe(201)
  await patiently(async () => expect((await server.ask('GET', WIDGETS)).status).toBe(200))
}

let server: TestServer
beforeEach(async () => {
  server = await TestServer.start({ apis: { crds: true }, controllers: ['namespace', 'garbage-collector'] })
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

describe('a control plane', () => {
  it('serves no CustomResourceDefinitions by default', async () => {
    await using plain = await TestServer.start()
    expect((await plain.ask('GET', CRDS)).status).toBe(404)
  })

  it('never lets a definition take the place of what it has itself', async () => {
    const crd = widgets(withSpec({}))
    const leases = {
      ...crd,
      metadata: {
        name: 'leases.coordination.k8s.io',
        annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' },
      },
      spec: {
        ...(crd.spec as JsonObject),
        group: 'coordination.k8s.io',
        names: { plural: 'leases', kind: 'Lease' },
      },
    }
    await server.create(CRDS, leases)
    await patiently(async () => {
      const { text } = await server.ask('GET', `${CRDS}/leases.coordination.k8s.io`)
      expect(text).toContain('"InitialNamesAccepted"')
    })
    const lease = { metadata: { name: 'own' }, spec: { leaseDurationSeconds: -1 } }
    const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
    expect((await server.create(path, lease)).text).toContain('must be greater than 0')
  })
})

describe('a changed definition', () => {
  it('shows its defaults in objects that were stored before', async () => {
    await define(server, widgets(withSpec({ a: { type: 'integer' }, b: { type: 'integer' } })))
    await server.create(WIDGETS, widget('old', { spec: { a: 1, b: 2 } }))
    const schema = withSpec({ a: { type: 'integer' }, c: { type: 'string', default: 'new' } })
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }]
    expect((await server.patch(`${CRDS}/widgets.example.com`, { spec: { versions } })).status).toBe(200)
    const { body } = await server.ask('GET', `${WIDGETS}/old`)
    expect(body.spec).toEqual({ a: 1, c: 'new' })
    const list = await server.ask('GET', WIDGETS)
    expect(list.body.items).toEqual([body])
    const [event] = await server.events(`${WIDGETS}?watch=1`, 1)
    expect(event?.object).toEqual(body)
  })
})

describe('a hostile definition', () => {
  const refusal = async (schema: JsonObject): Promise<string> => {
    const { status, text } = await server.create(CRDS, widgets(schema))
    expect(status, text).toBe(422)
    expect((await server.ask('GET', '/readyz')).status).toBe(200)
    return text
  }

  it('that nests its schemas deeper than any stack is refused', async () => {
    let schema: JsonObject = { type: 'string' }
    for (let depth = 0; depth < 150; depth++) schema = { type: 'object', properties: { a: schema } }
    expect(await refusal(schema)).toContain('schemas must not be nested more than 100 deep')
  })

  const withRule = (rule: string, maxItems?: number): JsonObject => {
    const bound = maxItems === undefined ? {} : { maxItems }
    const a = { type: 'array', items: { type: 'integer' }, ...bound, 'x-kubernetes-validations': [{ rule }] }
    return widgets(withSpec({ a }))
  }

  it('cannot hang the server by a rule', async () => {
    await define(server, withRule('self.all(a, self.all(b, a + b > 0))', 1000))
    const a = Array.from({ length: 1000 }, () => 1)
    const { status, text } = await server.create(WIDGETS, widget('x', { spec: { a } }))
    expect([status, text.includes('call cost exceeds limit')]).toEqual([422, true])
  })

  it('with properties named like those of every JavaScript object does no harm', async () => {
    const named =
      '{"__proto__":{"type":"object","properties":{"polluted":{"type":"boolean","default":true}}},"constructor":{"type":"string"}}'
    await define(server, widgets(withSpec(JSON.parse(named))))
    const spec = JSON.parse('{"__proto__":{},"constructor":"c","toString":1}')
    const { status, text } = await server.create(WIDGETS, widget('x', { spec }))
    expect(status, text).toBe(201)
    expect(text).toContain('"spec":{"__proto__":{"polluted":true},"constructor":"c"}')
    expect(Object.prototype).not.toHaveProperty('polluted')
  })
})
