import { beforeAll, expect, it, vi } from 'vitest'
import { describeIn, PATIENCE, type Subject } from './subject.ts'

/** Describes the answers at paths where nothing can be, and to methods that a path does not have. */
export function describeNamesInPaths(subject: Subject): void {
  describeIn(subject, 'names-in-paths', (place) => {
    const refusalOf = async (answer: Promise<{ status: number; body: { message: string } }>) => {
      const { status, body } = await answer
      return [status, body.message]
    }
    const custom = () => `/apis/paths-${place.namespace}.example.org/v1/things`

    beforeAll(async () => {
      const group = `paths-${place.namespace}.example.org`
      const schema = { openAPIV3Schema: { type: 'object' } }
      await place.client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        metadata: { name: `things.${group}` },
        spec: {
          group,
          scope: 'Cluster',
          names: { plural: 'things', kind: 'Thing' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      })
      await vi.waitFor(async () => expect((await place.client.get(custom())).status).toBe(200), PATIENCE)
      return async () => {
        await place.client.delete(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.${group}`)
      }
    })

    it('looks for no object whose name cannot be in a path', async () => {
      const path = (name: string) => `${place.path('configmaps')}/${name}`
      const invalid = (name: string, why: string) => [400, `Name parameter invalid: "${name}": ${why}`]
      expect(await refusalOf(place.client.get(path('..')))).toEqual(invalid('..', "may not be '..'"))
      expect(await refusalOf(place.client.delete(path('.')))).toEqual(invalid('.', "may not be '.'"))
      expect(await refusalOf(place.client.get(path('a%25b')))).toEqual(invalid('a%b', "may not contain '%'"))
      expect(await refusalOf(place.client.get('/api/v1/namespaces/..'))).toEqual(
        invalid('..', "may not be '..'"),
      )
    })

    it('answers nothing to a path whose escapes are none', async () => {
      for (const path of ['/%zz', `${place.path('configmaps')}/a%2`]) {
        const { status, text } = await place.client.get(path)
        expect([status, text]).toEqual([400, '400 Bad Request'])
      }
    })

    it('has no versions but its own, whatever is asked of them', async () => {
      for (const method of ['GET', 'PUT', 'POST', 'DELETE']) {
        expect((await place.client.send(method, '/api/v2')).status).toBe(404)
        expect((await place.client.send(method, '/apis/coordination.k8s.io/v9')).status).toBe(404)
        const unknown = await place.client.send(method, '/apis/nothing.example.org/v1')
        expect([unknown.status, unknown.text]).toEqual([404, '404 page not found\n'])
      }
      expect((await place.client.put('/api/v1', {})).status).toBe(405)
    })

    it('has no path to an object without its namespace, whatever the method', async () => {
      const missing = 'the server could not find the requested resource'
      const reviews = '/apis/authorization.k8s.io/v1'
      const paths = ['/api/v1/configmaps/x', '/api/v1/pods/x/status', `${reviews}/localsubjectaccessreviews`]
      for (const path of [...paths, '/api/v1/watch/configmaps/x']) {
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
          expect(await refusalOf(place.client.send(method, path))).toEqual([404, missing])
        }
      }
      expect((await place.client.get('/api/v1/configmaps/x')).status).toBe(404)
      expect((await place.client.post('/api/v1/configmaps', {})).status).toBe(405)
    })

    it('has nothing in namespaces of a custom resource that is in none', async () => {
      const path = custom().replace('/things', '/namespaces/default/things')
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const { status, text } = await place.client.send(method, `${path}/x`)
        expect([status, text]).toEqual([404, '404 page not found\n'])
      }
    })

    it('has no names and no watches of reviews', async () => {
      for (const review of [
        'authentication.k8s.io/v1/tokenreviews',
        'authorization.k8s.io/v1/subjectaccessreviews',
      ]) {
        const [group, version, plural] = review.split('/')
        for (const method of ['PUT', 'PATCH', 'DELETE']) {
          expect((await place.client.send(method, `/apis/${review}/x`)).status).toBe(404)
          expect((await place.client.send(method, `/apis/${review}`)).status).toBe(405)
        }
        expect((await place.client.get(`/apis/${review}?watch=1`)).status).toBe(405)
        expect((await place.client.get(`/apis/${group}/${version}/watch/${plural}`)).status).toBe(404)
      }
    })

    it('answers HEAD for custom resources, and for no others', async () => {
      const head = async (path: string) => (await place.client.send('HEAD', path)).status
      expect(await head('/api/v1/nodes/none/status')).toBe(405)
      expect([await head(custom()), await head(`${custom()}/none`)]).toEqual([200, 404])
      expect(await head(place.path('configmaps'))).toBe(405)
    })

    it('has no verb for a method that it does not know', async () => {
      const group = `paths-${place.namespace}.example.org`
      expect(await refusalOf(place.client.send('PROPFIND', custom()))).toEqual([
        405,
        ` is not supported on resources of kind "things.${group}"`,
      ])
      expect((await place.client.send('PROPFIND', place.path('configmaps'))).status).toBe(405)
    })

    it('watches at the old paths for reads alone', async () => {
      const path = `/api/v1/watch/namespaces/${place.namespace}/configmaps`
      for (const method of ['POST', 'PUT', 'DELETE']) {
        expect((await place.client.send(method, path)).status).toBe(405)
      }
    })

    it('leaves the namespace out of what has none', async () => {
      const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
      const name = `role-${place.namespace}`
      const role = { metadata: { name, namespace: 'elsewhere' } }
      const made = await place.client.post(path, role)
      expect([made.status, made.body.metadata.namespace]).toEqual([201, undefined])
      const updated = await place.client.put(`${path}/${name}`, role)
      expect([updated.status, updated.body.metadata.namespace]).toEqual([200, undefined])
      await place.client.delete(`${path}/${name}`)
    })

    it('warns of a deprecated kind only where something is asked of it', async () => {
      const endpoints = place.path('endpoints')
      const warned = async (answer: ReturnType<typeof place.client.get>) =>
        (await answer).headers.warning !== undefined
      expect(await warned(place.client.get(`${endpoints}/none`))).toBe(true)
      expect(await warned(place.client.get(`${endpoints}?watch=1&timeoutSeconds=1`))).toBe(true)
      expect(await warned(place.client.get(`${endpoints}?watch=1&limit=x`))).toBe(true)
      expect(await warned(place.client.get(`${endpoints}/none/log`))).toBe(false)
      expect(await warned(place.client.get(endpoints, { accept: 'text/html' }))).toBe(false)
      expect(await warned(place.client.send('PATCH', `${endpoints}/none`, { body: {} }))).toBe(false)
      expect(await warned(place.client.send('PATCH', endpoints, { body: {} }))).toBe(false)
    })
  })
}
