import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ApiClient } from '../../../../kubernetes/index.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { resourceKey } from '../controller-client.ts'
import { RemoteResources } from './remote-resources.ts'

const resource = (plural: string, kind: string): JsonObject => ({
  resource: plural,
  responseKind: { kind },
  scope: 'Namespaced',
  verbs: ['delete', 'get', 'list', 'watch'],
})
const POD = resource('pods', 'Pod')
const THING = resource('things', 'Thing')

let stop: AbortController
/** Resources that the server has in the group `example.com`; undefined while it is away. */
let things: JsonObject[] | undefined
let version: string
let looks: number
let resources: RemoteResources
let events: string[]

beforeEach(async () => {
  vi.useFakeTimers()
  stop = new AbortController()
  things = [THING]
  version = 'v1'
  looks = 0
  events = []
  const read = async (path: string): Promise<JsonObject> => {
    if (things === undefined) throw new Error('away')
    if (path === '/apis') looks++
    const group = path === '/api' ? '' : 'example.com'
    const entry = path === '/api' ? { version: 'v1', resources: [POD] } : { version, resources: things }
    return { kind: 'APIGroupDiscoveryList', items: [{ metadata: { name: group }, versions: [entry] }] }
  }
  const client: Pick<ApiClient, 'read'> = { read: read as ApiClient['read'] }
  resources = new RemoteResources(client, stop.signal, () => undefined)
  await resources.start()
  resources.follow((found) => {
    const name = `${resourceKey(found)} ${found.version}`
    events.push(`+ ${name}`)
    return () => events.push(`- ${name}`)
  })
  expect(events.splice(0)).toEqual(['+ pods v1', '+ things.example.com v1'])
})
afterEach(() => {
  stop.abort()
  vi.useRealTimers()
})

it('follows what comes, at the next poll or soon after a hint', async () => {
  things = [THING, resource('others', 'Other')]
  await vi.advanceTimersByTimeAsync(29_000)
  expect(events).toEqual([])
  resources.hint()
  await vi.advanceTimersByTimeAsync(100)
  expect(events).toEqual(['+ others.example.com v1'])
  things = [...things, resource('late', 'Late')]
  await vi.advanceTimersByTimeAsync(30_000)
  expect(events).toEqual(['+ others.example.com v1', '+ late.example.com v1'])
})

it('goes on following what is missing for less than half a minute', async () => {
  things = []
  await vi.advanceTimersByTimeAsync(31_000)
  things = [THING]
  await vi.advanceTimersByTimeAsync(90_000)
  expect(events).toEqual([])
})

it('follows no longer what stays missing', async () => {
  things = []
  await vi.advanceTimersByTimeAsync(61_000)
  expect(events).toEqual(['- things.example.com v1'])
  expect(resources.find('things.example.com')).toBeUndefined()
})

it('drops nothing while the server is away', async () => {
  things = undefined
  await vi.advanceTimersByTimeAsync(600_000)
  expect(events).toEqual([])
  expect(resources.ofKind('example.com/v1', 'Thing')).toBeDefined()
})

it('follows a resource again in another version', async () => {
  version = 'v2'
  await vi.advanceTimersByTimeAsync(30_000)
  expect(events).toEqual(['- things.example.com v1', '+ things.example.com v2'])
})

it('polls no oftener than twice a minute where nobody hints', async () => {
  looks = 0
  await vi.advanceTimersByTimeAsync(300_000)
  expect(looks).toBe(10)
})
