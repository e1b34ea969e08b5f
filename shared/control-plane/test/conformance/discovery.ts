import { describe, expect, it, vi } from 'vitest'
import type { Json } from '../../../../test/support/raw-client.ts'
import { accepted, PATIENCE, type Subject } from './subject.ts'

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** Describes how kubectl finds out which resources there are. */
export function describeDiscovery(subject: Subject): void {
  describe('discovery', () => {
    it('says that it is well', async () => {
      for (const path of ['/readyz', '/livez', '/healthz']) {
        // One of the checks asks etcd, which has its time for an answer.
        await vi.waitFor(async () => {
          const { status, text } = await subject.client.get(path)
          expect([status, text]).toEqual([200, 'ok'])
        }, PATIENCE)
      }
    })

    it('returns its version', async () => {
      expect(accepted(await subject.client.get('/version'))).toMatchObject({
        major: '1',
        gitVersion: expect.stringMatching(/^v1\.\d+\.\d+/),
      })
    })

    it.each([
      ['/api/v1', 'services', 'Service', true],
      ['/api/v1', 'pods/status', 'Pod', true],
      ['/api/v1', 'nodes', 'Node', false],
      ['/apis/discovery.k8s.io/v1', 'endpointslices', 'EndpointSlice', true],
    ])('lists in %s the resource %s', async (path, name, kind, namespaced) => {
      const body = accepted(await subject.client.get(path))
      expect(body.kind).toBe('APIResourceList')
      const resource = body.resources.find((candidate: Json) => candidate.name === name)
      expect(resource).toMatchObject({ kind, namespaced })
      expect(resource.verbs).toEqual(expect.arrayContaining(['get', 'patch', 'update']))
    })

    it.each([
      ['/api', '', 'services'],
      ['/apis', 'discovery.k8s.io', 'endpointslices'],
    ])('gives all of %s in one answer to those that ask for it', async (path, group, resource) => {
      const { headers, body } = await subject.client.get(path, { accept: AGGREGATED })
      expect(headers['content-type']).toBe(AGGREGATED)
      const found = body.items.find(({ metadata }: Json) => (metadata.name ?? '') === group)
      const names = found.versions[0].resources.map((item: Json) => item.resource)
      expect(names).toContain(resource)
    })

    it('describes its objects in OpenAPI v3, by group', async () => {
      const index = accepted(await subject.client.get('/openapi/v3'))
      const { serverRelativeURL } = index.paths['apis/discovery.k8s.io/v1']
      const document = accepted(await subject.client.get(serverRelativeURL))
      expect(Object.keys(document.components.schemas)).toContain('io.k8s.api.discovery.v1.EndpointSlice')
    })
  })
}
