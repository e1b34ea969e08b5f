import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { builtinResources, type ResourceDefinition } from './index.ts'
import type { JsonObject } from './json.ts'
import { TestServer } from './testing/test-client.ts'

const group = { group: 'example.org', version: 'v1' }
const NOTES: ResourceDefinition = {
  ...group,
  kind: 'Note',
  plural: 'notes',
  singular: 'note',
  namespaced: true,
}
const PATH = '/apis/example.org/v1/namespaces/default/notes'
const LOST = '9007199254740993'

describe('an integer that JavaScript cannot hold', () => {
  let server: TestServer

  beforeAll(async () => {
    server = await TestServer.start({ resources: [...builtinResources('generic'), NOTES] })
    expect((await server.create(PATH, note('a', '1'))).status).toBe(201)
  })
  afterAll(() => server[Symbol.asyncDispose]())

  const note = (name: string, count: string): string =>
    `{"apiVersion":"example.org/v1","kind":"Note","metadata":{"name":"${name}"},"count":${count}}`
  const yaml = `apiVersion: example.org/v1\nkind: Note\nmetadata: {name: y}\ncount: ${LOST}\n`

  it.each([
    ['JSON', 'POST', PATH, 'application/json', note('b', LOST)],
    ['a negative one', 'POST', PATH, 'application/json', note('b', `-${LOST}`)],
    ['YAML', 'POST', PATH, 'application/yaml', yaml],
    ['an update', 'PUT', `${PATH}/a`, 'application/json', note('a', LOST)],
    ['a merge patch', 'PATCH', `${PATH}/a`, 'application/merge-patch+json', `{"count":${LOST}}`],
    [
      'a JSON patch',
      'PATCH',
      `${PATH}/a`,
      'application/json-patch+json',
      `[{"op":"replace","path":"/count","value":${LOST}}]`,
    ],
    ['an apply', 'PATCH', `${PATH}/y?fieldManager=me`, 'application/apply-patch+yaml', yaml],
  ])('is refused in %s, by name, and nothing is stored', async (_form, ...[method, path, type, body]) => {
    const answer = await server.ask(method, path, { body, headers: { 'content-type': type } })
    expect(answer).toMatchObject({ status: 400, body: { reason: 'BadRequest' } })
    expect(answer.body.message).toMatch(/^the integer -?9007199254740993 cannot be kept exactly: write/)
    const { body: list } = await server.ask('GET', PATH)
    expect(list.items).toMatchObject([{ metadata: { name: 'a' }, count: 1 }])
  })

  it.each([
    '9007199254740991',
    '9007199254740992',
    '-9007199254740994',
    '0.1234567890123456789',
    '"9007199254740993"',
  ])('is not %s, which is kept as JavaScript reads it', async (count) => {
    const { status, body } = await server.ask('PUT', `${PATH}/a?dryRun=All`, { body: note('a', count) })
    expect([status, (body as JsonObject).count]).toEqual([200, JSON.parse(count)])
  })
})
