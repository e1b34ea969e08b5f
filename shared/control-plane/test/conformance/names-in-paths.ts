import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { describeIn, PATIENCE, type Subject } from './subject.ts'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const GROUP = 'paths-names-in-paths.example.org'
const CUSTOM = `/apis/${GROUP}/v1/things`
const CONFIG_MAPS = '/api/v1/namespaces/names-in-paths/configmaps'
const ENDPOINTS = '/api/v1/namespaces/names-in-paths/endpoints'
const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews'
const MISSING = 'the server could not find the requested resource'
const PAGE = '404 page not found\n'

/** Describes the answers at paths where nothing can be, and to methods that a path does not have. */
export function describeNamesInPaths(subject: Subject): void {
  describeIn(subject, 'names-in-paths', (place) => {
    beforeAll(async () => {
      const schema = { openAPIV3Schema: { type: 'object' } }
      await place.client.post(CRDS, {
        metadata: { name: `things.${GROUP}` },
        spec: {
          group: GROUP,
          scope: 'Cluster',
          names: { plural: 'things', kind: 'Thing' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      })
      await vi.waitFor(async () => expect((await place.client.get(CUSTOM)).status).toBe(200), PATIENCE)
    })
    afterAll(async () => {
      await place.client.delete(`${CRDS}/things.${GROUP}`)
    })

    it.each([
      ['GET', `${CONFIG_MAPS}/..`, 400, `Name parameter invalid: "..": may not be '..'`],
      ['DELETE', `${CONFIG_MAPS}/.`, 400, `Name parameter invalid: ".": may not be '.'`],
      ['GET', `${CONFIG_MAPS}/a%25b`, 400, `Name parameter invalid: "a%b": may not contain '%'`],
      ['GET', '/api/v1/namespaces/..', 400, `Name parameter invalid: "..": may not be '..'`],
      ['GET', `${CONFIG_MAPS}/a%2`, 400, '400 Bad Request'],
      ['POST', '/apis/nothing.example.org/v1', 404, PAGE],
      ['PUT', '/api/v1/configmaps/x', 404, MISSING],
      ['OPTIONS', '/api/v1/pods/x/status', 404, MISSING],
      ['PATCH', '/api/v1/watch/configmaps/x', 404, MISSING],
      ['PATCH', `${CUSTOM.replace('/things', '/namespaces/default/things')}/x`, 404, PAGE],
      ['PROPFIND', CUSTOM, 405, ` is not supported on resources of kind "things.${GROUP}"`],
    ])('%s %s is answered with %i', async (method, path, status, message) => {
      const { status: code, text, body } = await place.client.send(method, path)
      expect([code, body?.message ?? text]).toEqual([status, message])
    })

    it.each([
      ['GET', '/api/v2', 404],
      ['PUT', '/apis/coordination.k8s.io/v9', 404],
      ['PUT', '/api/v1', 405],
      ['POST', '/api/v1/configmaps', 405],
      ['PATCH', `${REVIEWS}/x`, 404],
      ['DELETE', REVIEWS, 405],
      ['GET', `${REVIEWS}?watch=1`, 405],
      ['GET', '/apis/authentication.k8s.io/v1/watch/tokenreviews', 404],
      ['HEAD', '/api/v1/nodes/none/status', 405],
      ['HEAD', CUSTOM, 200],
      ['HEAD', `${CUSTOM}/none`, 404],
      ['HEAD', CONFIG_MAPS, 405],
      ['PROPFIND', CONFIG_MAPS, 405],
      ['POST', '/api/v1/watch/namespaces/names-in-paths/configmaps', 405],
    ])('%s %s is a %i', async (method, path, status) => {
      expect((await place.client.send(method, path)).status).toBe(status)
    })

    it('leaves the namespace out of what has none', async () => {
      const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
      const name = `role-${place.namespace}`
      const role = { metadata: { name, namespace: 'elsewhere' } }
      const made = await place.client.post(path, role)
      expect([made.status, made.body.metadata.namespace]).toEqual([201, undefined])
      await place.client.delete(`${path}/${name}`)
    })

    it.each([
      ['GET', `${ENDPOINTS}/none`, 'application/json', true],
      ['GET', `${ENDPOINTS}?watch=1&limit=x`, 'application/json', true],
      ['GET', `${ENDPOINTS}/none/log`, 'application/json', false],
      ['GET', ENDPOINTS, 'text/html', false],
      ['PATCH', `${ENDPOINTS}/none`, 'application/json', false],
    ])('%s %s as %s warns of a deprecated kind: %s', async (method, path, accept, isWarned) => {
      const { headers } = await place.client.send(method, path, { headers: { accept } })
      expect(headers.warning !== undefined).toBe(isWarned)
    })
  })
}
