import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../apimachinery/json/exact-numbers.ts'
import { TestServer } from '../testing/test-client.ts'

const PATH = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
const rule = (resource: string): JsonObject => ({ apiGroups: [''], resources: [resource], verbs: ['get'] })

describe('the aggregation of cluster roles', () => {
  let server: TestServer

  beforeAll(async () => {
    server = await TestServer.start()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  async function create(name: string, labels: JsonObject, ...resources: string[]): Promise<void> {
    const { status } = await server.create(PATH, { metadata: { name, labels }, rules: resources.map(rule) })
    expect(status).toBe(201)
  }

  async function aggregate(name: string, ...clusterRoleSelectors: JsonObject[]): Promise<void> {
    const { status } = await server.create(PATH, {
      metadata: { name },
      aggregationRule: { clusterRoleSelectors },
    })
    expect(status).toBe(201)
  }

  const expectResources = (name: string, ...resources: string[]): Promise<void> =>
    expect
      .poll(async () => (await server.ask('GET', `${PATH}/${name}`)).body.rules)
      .toEqual(resources.map(rule))

  it('gives the bootstrap roles the rules of each other from the start', async () => {
    await using withRoles = await TestServer.start({ authorization: 'RBAC' })
    const rulesOf = async (name: string): Promise<string[]> => {
      const { body } = await withRoles.ask('GET', `${PATH}/${name}`)
      return (body.rules as JsonObject[]).map((each) => JSON.stringify(each))
    }
    await vi.waitFor(async () => {
      const [view, edit, admin] = await Promise.all(['view', 'edit', 'admin'].map(rulesOf))
      expect(edit).toEqual(expect.arrayContaining(view ?? []))
      expect(admin).toEqual(expect.arrayContaining(edit ?? []))
    }, 15_000)
  })

  it('gives a role the rules of those that its selectors match, in the order of names and once each', async () => {
    await create('a-2', { tier: 'a' }, 'secrets', 'pods')
    await create('a-1', { tier: 'a' }, 'pods', 'services')
    await create('a-3', { tier: 'other' }, 'nodes')
    await aggregate('a', { matchLabels: { tier: 'a' } })
    await expectResources('a', 'pods', 'services', 'secrets')
  })
})
