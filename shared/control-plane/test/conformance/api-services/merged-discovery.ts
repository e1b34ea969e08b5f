import { randomUUID } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { isAggregator } from '../../../testing/extension-server.ts'
import { accepted } from '../subject.ts'
import { API_SERVICES, apiService, GROUP, NAME, PATIENCE, type Scene } from './scene.ts'

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

export function describeMergedDiscovery(scene: Scene): void {
  const aggregated = async (): Promise<Json[]> =>
    (await scene.place.client.get('/apis', { accept: AGGREGATED })).body.items
  const entry = async (): Promise<Json> =>
    (await aggregated()).find(({ metadata }) => metadata.name === GROUP)?.versions[0]

  describe('discovery', () => {
    it('has them in the one answer, also of servers that know only the older documents', async () => {
      await expect.poll(async () => (await entry())?.freshness, PATIENCE).toBe('Current')
      const responseKind = { group: '', version: '', kind: 'Z' }
      expect(await entry()).toEqual({
        version: 'v1',
        resources: [
          {
            resource: 'zs',
            responseKind,
            scope: 'Namespaced',
            singularResource: 'z',
            verbs: ['get', 'list', 'create', 'delete', 'deletecollection', 'watch'],
            shortNames: ['zz'],
            subresources: [{ subresource: 'status', responseKind, verbs: ['get', 'update'] }],
          },
        ],
        freshness: 'Current',
      })
    })

    it('has a new tag when the other server says something new', async () => {
      const before = await scene.place.client.get('/apis', { accept: AGGREGATED })
      scene.extension.answer((request, response) => {
        if (!isAggregator(request) || request.url !== '/apis') return false
        const resources = [
          {
            resource: 'ys',
            responseKind: { group: GROUP, version: 'v1', kind: 'Y' },
            scope: 'Cluster',
            singularResource: 'y',
            verbs: ['list'],
          },
        ]
        const versions = [{ version: 'v1', resources, freshness: 'Current' }]
        response.setHeader('content-type', AGGREGATED)
        response.end(
          JSON.stringify({
            kind: 'APIGroupDiscoveryList',
            apiVersion: 'apidiscovery.k8s.io/v2',
            metadata: {},
            items: [{ metadata: { name: GROUP }, versions }],
          }),
        )
        return true
      })
      await touch(scene)
      await expect
        .poll(async () => (await entry()).resources.map(({ resource }: Json) => resource), PATIENCE)
        .toEqual(['ys'])
      const after = await scene.place.client.get('/apis', { accept: AGGREGATED })
      expect(after.headers.etag).not.toBe(before.headers.etag)
      scene.extension.answer(undefined)
      await touch(scene)
      await expect
        .poll(async () => (await entry()).resources.map(({ resource }: Json) => resource), PATIENCE)
        .toEqual(['zs'])
    })

    it('orders groups by their priority, and versions of a group by theirs', async () => {
      const { client } = scene.place
      const spec = (groupPriorityMinimum: number, versionPriority: number): Json => ({
        service: { namespace: 'api-services', name: 'missing' },
        groupPriorityMinimum,
        versionPriority,
      })
      const all = [
        apiService(spec(19_000, 1), 'first.example.com', 'v1'),
        apiService(spec(19_000, 2), 'first.example.com', 'v1alpha1'),
        apiService(spec(19_000, 1), 'first.example.com', 'v2'),
        apiService(spec(17_725, 1), 'middle.example.com', 'v1'),
      ]
      for (const item of all) accepted(await client.post(API_SERVICES, item))
      const order = [
        'apiregistration.k8s.io',
        'first.example.com',
        'events.k8s.io',
        'middle.example.com',
        GROUP,
      ]
      const wanted = (names: string[]): string[] => names.filter((name) => order.includes(name))
      await vi.waitFor(async () => {
        const { groups } = accepted(await client.get('/apis'))
        expect(wanted(groups.map(({ name }: Json) => name))).toEqual(order)
        const first = groups.find(({ name }: Json) => name === 'first.example.com')
        expect(first.versions.map(({ version }: Json) => version)).toEqual(['v1alpha1', 'v2', 'v1'])
        expect(first.preferredVersion.version).toBe('v1alpha1')
        const items = await aggregated()
        expect(wanted(items.map(({ metadata }) => metadata.name))).toEqual(order)
        const same = items.find(({ metadata }) => metadata.name === 'first.example.com')
        expect(same.versions).toEqual(
          ['v1alpha1', 'v2', 'v1'].map((version) => ({ version, freshness: 'Stale' })),
        )
      }, PATIENCE)
      for (const { metadata } of all) accepted(await client.delete(`${API_SERVICES}/${metadata.name}`))
    })
  })

  describe('OpenAPI v3', () => {
    it('has the document of the other server', async () => {
      const { client } = scene.place
      const paths = await vi.waitFor(async () => {
        const index = accepted(await client.get('/openapi/v3'))
        expect(index.paths[`apis/${GROUP}/v1`]).toBeDefined()
        return index.paths
      }, PATIENCE)
      const { serverRelativeURL } = paths[`apis/${GROUP}/v1`]
      expect(serverRelativeURL).toBe(`/openapi/v3/apis/${GROUP}/v1?hash=ABC`)
      expect(accepted(await client.get(serverRelativeURL)).info.title).toBe('Z')
      expect(paths['api/v1']).toBeDefined()
    })
  })

  describe('OpenAPI v2', () => {
    const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions'

    it('has the paths of the other server, with names of their own for definitions that are others here', async () => {
      const { client } = scene.place
      const { paths, definitions } = await vi.waitFor(async () => {
        const document = accepted(await client.get('/openapi/v2'))
        expect(document.paths[`/apis/${GROUP}/v1/zs`]).toBeDefined()
        return document
      }, PATIENCE)
      const { get } = paths[`/apis/${GROUP}/v1/zs`]
      expect(get.responses[200].schema.$ref).toBe('#/definitions/com.example.Z')
      expect(definitions['com.example.Z'].properties.meta.$ref).toBe(`#/definitions/${META}_v2`)
      expect(definitions[`${META}_v2`].properties).toEqual({ theirs: { type: 'string' } })
      expect(definitions[META].properties.uid.type).toBe('string')
      expect(paths['/api/v1/theirs']).toBeUndefined()
      expect(definitions['com.example.Theirs']).toBeUndefined()
      expect(definitions['com.example.Unused']).toEqual({ type: 'object' })
    })
  })
}

/** Has the server asked again what it serves. */
async function touch({ place }: Scene): Promise<void> {
  const labels = { touched: randomUUID() }
  accepted(await place.client.patch(`${API_SERVICES}/${NAME}`, { metadata: { labels } }))
}
