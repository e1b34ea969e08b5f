import { expect, it } from 'vitest'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { builtinResources, type ResourceDefinition, type Strategy } from '../../../index.ts'
import { TestServer } from '../../../testing/test-client.ts'

const PATH = '/apis/example.com/v1/namespaces/default/widgets'

const widgets = (strategy?: Strategy): ResourceDefinition => ({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  singular: 'widget',
  namespaced: true,
  hasStatus: true,
  ...(strategy ? { strategy } : {}),
})

const serving = async (strategy?: Strategy) =>
  await TestServer.start({ apis: { resources: [...builtinResources('generic'), widgets(strategy)] } })

const generationOf = ({ body }: { body: JsonObject }) => (body.metadata as JsonObject).generation

it('a kind of one’s own counts changes of its spec, not those of its metadata and status', async () => {
  await using server = await serving()
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a', generation: 7 } }
  expect(generationOf(await server.create(PATH, { ...widget, spec: { size: 1 } }))).toBe(1)
  expect(generationOf(await server.patch(`${PATH}/a`, { metadata: { labels: { a: 'b' } } }))).toBe(1)
  expect(generationOf(await server.patch(`${PATH}/a`, { spec: { size: 2 } }))).toBe(2)
  expect(generationOf(await server.patch(`${PATH}/a`, { status: { ready: true } }))).toBe(2)
  expect(generationOf(await server.patch(`${PATH}/a/status`, { status: { ready: true } }))).toBe(2)
  expect(generationOf(await server.patch(`${PATH}/a`, { spec: null }))).toBe(3)
})

it('a kind that prepares updates itself counts by itself', async () => {
  await using server = await serving({ prepareForUpdate: () => undefined })
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec: { size: 1 } }
  expect(generationOf(await server.create(PATH, widget))).toBeUndefined()
  expect(generationOf(await server.patch(`${PATH}/a`, { spec: { size: 2 } }))).toBeUndefined()
})
