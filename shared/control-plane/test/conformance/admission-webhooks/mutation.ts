import { afterEach, expect, it } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { CRDS, createDefinition, definition } from '../custom-resources/scene.ts'
import { accepted, describeIn, type Subject } from '../subject.ts'
import { add, allow, change, type HookKind, outcomeOf, rule, useHooks } from './hooks.ts'

/** Describes what the answers of mutating webhooks do to an object. */
export function describeMutation(subject: Subject): void {
  describeIn(subject, 'admission-mutation', (place) => {
    const hooks = useHooks(place)
    const registered: [HookKind, string][] = []
    const register = async (kind: HookKind, name: string, ...webhooks: Json[]) => {
      registered.push([kind, name])
      await hooks.register(kind, name, ...webhooks)
    }
    afterEach(async () => {
      for (const [kind, name] of registered.splice(0)) await hooks.remove(kind, name)
    })
    const post = (name: string, more: Json = {}) =>
      place.client.post(place.path('configmaps'), { metadata: { name }, data: { from: 'client' }, ...more })

    it('changes what is stored, and is nobody’s field then', async () => {
      await register('mutating', 'change', { rules: [rule('configmaps', ['CREATE'])] })
      hooks.answer((review) =>
        change(review, add('/data/hook', 'yes'), add('/metadata/labels', { hook: 'yes' })),
      )
      const { data, metadata } = accepted(await post('changed'))
      expect(data).toEqual({ from: 'client', hook: 'yes' })
      expect(metadata.labels).toEqual({ hook: 'yes' })
      expect(JSON.stringify(metadata.managedFields)).not.toContain('f:hook')
      expect(hooks.reviewsOf('changed')[0].request.object.metadata).not.toHaveProperty('uid')
    })

    it('fills in defaults of what was changed, drops unknown fields, and validates the outcome', async () => {
      await register('mutating', 'defaults', { rules: [rule('services', ['CREATE'])] })
      const service = (name: string) =>
        place.client.post(place.path('services'), { metadata: { name }, spec: { ports: [{ port: 80 }] } })
      hooks.answer((review) =>
        change(
          review,
          add('/spec/ports/-', { name: 'b', port: 81 }),
          add('/spec/x', 1),
          add('/spec/ports/0/name', 'a'),
        ),
      )
      const { spec } = accepted(await service('two'))
      expect(spec.ports[1]).toEqual({ name: 'b', port: 81, protocol: 'TCP', targetPort: 81 })
      expect(spec).not.toHaveProperty('x')
      hooks.answer((review) => change(review, add('/spec/ports/0/port', 0)))
      expect(outcomeOf(await service('bad'))).toEqual([
        422,
        'Invalid',
        'Service "bad" is invalid: spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
      ])
    })

    it('changes updates, patches and applies', async () => {
      await post('again')
      await register('mutating', 'updates', { rules: [rule('configmaps', ['UPDATE'])] })
      hooks.answer((review) => change(review, add('/data/hook', review.request.object.data.k)))
      const path = place.path('configmaps', 'again')
      const put = await place.client.put(path, { metadata: { name: 'again' }, data: { k: '1' } })
      expect(accepted(put).data).toEqual({ k: '1', hook: '1' })
      const patch = await place.client.patch(path, { data: { k: '2' } })
      expect(accepted(patch).data).toEqual({ k: '2', hook: '2' })
      const apply = await place.client.send('PATCH', `${path}?fieldManager=tests&force=true`, {
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'again' }, data: { k: '3' } },
        headers: { 'content-type': 'application/apply-patch+yaml' },
      })
      expect(accepted(apply).data).toEqual({ k: '3', hook: '3' })
    })

    it('changes the status, and nothing else, of a request for it', async () => {
      const spec = { serviceAccountName: 'account', containers: [{ name: 'c', image: 'i' }] }
      await place.create('serviceaccounts', { metadata: { name: 'account' } })
      await place.create('pods', { metadata: { name: 'pod' }, spec })
      await register('mutating', 'status', { rules: [rule('pods/status')] })
      hooks.answer((review) =>
        change(review, add('/status/message', 'hook'), add('/spec/activeDeadlineSeconds', 5)),
      )
      const { body } = await place.client.patch(`${place.path('pods', 'pod')}/status`, {
        status: { reason: 'client' },
      })
      expect(body.status).toMatchObject({ message: 'hook', reason: 'client' })
      expect(body.spec).not.toHaveProperty('activeDeadlineSeconds')
      await hooks.remove('mutating', 'status')
      registered.length = 0
      await place.client.delete(place.path('pods', 'pod'))
    })

    it('calls webhooks in the order of their configurations’ names, each with what those before have made', async () => {
      await register('mutating', 'b-order', { rules: [rule('configmaps')] })
      await register('mutating', 'a-order', { rules: [rule('configmaps')] }, { rules: [rule('configmaps')] })
      hooks.answer((review, _, path) =>
        change(review, add('/data/seen', `${review.request.object.data.seen ?? ''}${path.split('?')[0]}`)),
      )
      expect(accepted(await post('ordered')).data.seen).toBe('/a-order/0/a-order/1/b-order/0')
    })

    it('calls a webhook again that asks for it when a later one has changed the object', async () => {
      await register(
        'mutating',
        'again',
        { rules: [rule('configmaps')], reinvocationPolicy: 'IfNeeded' },
        { rules: [rule('configmaps')] },
      )
      hooks.answer((review, _, path) => {
        const { data } = review.request.object
        if (path.startsWith('/again/1'))
          return data.second ? allow(review) : change(review, add('/data/second', 'yes'))
        return change(review, add('/data/calls', `${data.calls ?? ''}${data.second ? '+' : '-'}`))
      })
      expect(accepted(await post('twice')).data).toEqual({ from: 'client', calls: '-+', second: 'yes' })
      expect(hooks.reviewsOf('twice')).toHaveLength(3)
    })

    it('changes custom resources, with the defaults of their schemas', async () => {
      const group = 'mutation.example.com'
      const things = `/apis/${group}/v1/namespaces/${place.namespace}/things`
      const schema = {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: { a: { type: 'string' }, b: { type: 'string', default: 'd' } },
          },
        },
      }
      const version = { served: true, storage: false, schema: { openAPIV3Schema: schema } }
      const versions = [
        { ...version, name: 'v1', storage: true },
        { ...version, name: 'v2' },
      ]
      await createDefinition(place.client, definition('things', {}, { group, versions }))
      const rules = [{ operations: ['*'], apiGroups: [group], apiVersions: ['v2'], resources: ['things'] }]
      await register('mutating', 'custom', { rules })
      hooks.answer((review) => change(review, add('/spec', { a: 'hook', unknown: 1 })))
      const thing = (version: string, name: string) => ({
        apiVersion: `${group}/${version}`,
        kind: 'Thing',
        metadata: { name },
      })
      const created = await place.client.post(things, thing('v1', 'one'))
      expect(accepted(created)).toMatchObject({ apiVersion: `${group}/v1`, spec: { a: 'hook', b: 'd' } })
      expect(created.body.spec).not.toHaveProperty('unknown')
      expect(hooks.reviewsOf('one')[0].request).toMatchObject({
        kind: { group, version: 'v2', kind: 'Thing' },
        resource: { group, version: 'v2', resource: 'things' },
        requestKind: { group, version: 'v1', kind: 'Thing' },
        requestResource: { group, version: 'v1', resource: 'things' },
        object: { apiVersion: `${group}/v2` },
      })
      accepted(await place.client.delete(`${CRDS}/things.${group}`))
    })
  })
}
