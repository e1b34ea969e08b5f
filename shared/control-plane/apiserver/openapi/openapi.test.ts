import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { TestServer } from '../../testing/test-client.ts'
import { encodeDocumentV2 } from './gnostic/encode.ts'
import hashes from './testdata/hashes.json' with { type: 'json' }

const read = (name: string): Buffer => readFileSync(new URL(`testdata/${name}`, import.meta.url))
const recorded = JSON.parse(gunzipSync(read('custom-resources.json.gz')).toString())
const definitions: JsonObject[] = parseAllDocuments(read('custom-resources.yaml').toString()).map(
  (document) => document.toJS(),
)
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
let server: TestServer

beforeAll(async () => {
  server = await TestServer.start({ apis: { crds: true, apiServices: true }, authorization: 'RBAC' })
})
afterAll(() => server[Symbol.asyncDispose]())

const names = Object.keys(hashes) as (keyof typeof hashes)[]

async function served(): Promise<string[]> {
  const { text } = await server.ask('GET', '/openapi/v3')
  return Object.keys(JSON.parse(text).paths)
}

describe('the documents of built-in resources', () => {
  it.each(names)('are those of kube-apiserver, byte for byte: %s', async (name) => {
    const { headers } = await server.ask('GET', `/openapi/v3/${name}`)
    expect(headers.etag).toBe(`"${hashes[name]}"`)
  })

  it('exist for everything that discovery lists', async () => {
    const { body } = await server.ask('GET', '/apis')
    const groups = body.groups as { versions: { groupVersion: string }[] }[]
    const expected = groups.flatMap(({ versions }) =>
      versions.map(({ groupVersion }) => `apis/${groupVersion}`),
    )
    expect(await served()).toEqual(expect.arrayContaining(['api', 'api/v1', 'apis', 'version', ...expected]))
  })
})

describe('the documents of custom resources', () => {
  beforeAll(async () => {
    for (const definition of definitions) {
      expect((await server.ask('POST', CRDS, { body: definition })).status).toBe(201)
    }
    await vi.waitFor(async () => expect(await served()).toContain('apis/stable.example.com/v1'), 15_000)
  })

  it('are those of kube-apiserver in v3', async () => {
    const { body } = await server.ask('GET', '/openapi/v3/apis/stable.example.com/v1')
    expect(body.info).toEqual({ title: 'Kubernetes CRD Swagger', version: 'v0.1.0' })
    expect(inOrder(body.paths)).toBe(inOrder(recorded.v3.paths))
    const { schemas } = body.components as { schemas: JsonObject }
    for (const name of Object.keys(recorded.v3.schemas)) {
      expect(inOrder(schemas[name]), name).toBe(inOrder(recorded.v3.schemas[name]))
    }
  })

  it('are those of kube-apiserver in v2', async () => {
    const { body } = await server.ask('GET', '/openapi/v2')
    for (const part of ['paths', 'definitions']) {
      const members = body[part] as JsonObject
      for (const name of Object.keys(recorded.v2[part])) {
        expect(inOrder(members[name]), name).toBe(inOrder(recorded.v2[part][name]))
      }
    }
  })

  it('are listed under another hash once their definition changes, and not once it is gone', async () => {
    const before = await server.ask('GET', '/openapi/v2')
    const path = `${CRDS}/blobs.stable.example.com`
    expect((await server.ask('DELETE', path)).status).toBe(200)
    const name = 'com.example.stable.v1.Blob'
    const after = await vi.waitFor(async () => {
      const answer = await server.ask('GET', '/openapi/v2')
      expect(answer.body.definitions).not.toHaveProperty([name])
      return answer
    }, 15_000)
    expect(before.body.definitions).toHaveProperty([name])
    expect(after.headers.etag).not.toBe(before.headers.etag)
    const { body } = await server.ask('GET', '/openapi/v3/apis/stable.example.com/v1')
    expect(body.paths).not.toHaveProperty(['/apis/stable.example.com/v1/blobs'])
    expect(body.paths).toHaveProperty(['/apis/stable.example.com/v1/gadgets'])
  })
})

it('protobuf of a v2 document is that of gnostic, byte for byte', () => {
  const document = JSON.parse(gunzipSync(read('gnostic.json.gz')).toString())
  const encoded = Buffer.from(encodeDocumentV2(document))
  expect(encoded.equals(gunzipSync(read('gnostic.pb.gz')))).toBe(true)
})

it('a kind that nothing is known of may have any fields', async () => {
  const table = { columns: [], cells: () => [] }
  const widgets = {
    group: 'example.com',
    version: 'v1',
    kind: 'Widget',
    plural: 'widgets',
    singular: 'widget',
    namespaced: true,
    table,
  }
  await using other = await TestServer.start({ apis: { resources: [widgets] }, controllers: [] })
  const { body } = await other.ask('GET', '/openapi/v2')
  expect(body.definitions).toMatchObject({
    'com.example.v1.Widget': {
      type: 'object',
      'x-kubernetes-group-version-kind': [{ group: 'example.com', kind: 'Widget', version: 'v1' }],
    },
  })
  expect(body.definitions).not.toHaveProperty(['com.example.v1.Widget', 'properties'])
})

/** Formats a value with its order of members, as hashes are made of that text. */
const inOrder = (value: unknown): string => JSON.stringify(value, null, 1)
