import { afterAll, beforeAll, expect, it } from 'vitest'
import { CRDS, createDefinition, definition } from './custom-resources/scene.ts'
import { describeRefusals } from './refusals.ts'
import { describeIn, type Subject } from './subject.ts'

const GROUP = 'paths-names-in-paths.example.org'
const CUSTOM = `/apis/${GROUP}/v1/things`
const ENDPOINTS = '/api/v1/namespaces/names-in-paths/endpoints'

/** Describes the answers at paths where nothing can be, and to methods that a path does not have. */
export function describeNamesInPaths(subject: Subject): void {
  describeIn(subject, 'names-in-paths', (place) => {
    beforeAll(async () => {
      const version = { schema: { openAPIV3Schema: { type: 'object' } } }
      const things = definition('things', version, { group: GROUP, scope: 'Cluster' })
      await createDefinition(place.client, things)
    })
    afterAll(async () => {
      await place.client.delete(`${CRDS}/things.${GROUP}`)
    })

    describeRefusals(place, 'names-in-paths')

    it('answers a HEAD of custom resources', async () => {
      expect((await place.client.send('HEAD', CUSTOM)).status).toBe(200)
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
