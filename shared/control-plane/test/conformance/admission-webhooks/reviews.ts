import { beforeAll, expect, it } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { accepted, describeIn, type Subject } from '../subject.ts'
import { rule, useHooks } from './hooks.ts'

const RESOURCES = 'configmaps configmaps/* services pods pods/* serviceaccounts/token'
const GVK = (kind: string, group = '', version = 'v1'): Json => ({ group, version, kind })
const GVR = (resource: string, group = '', version = 'v1'): Json => ({ group, version, resource })

/** Describes what webhooks are asked. */
export function describeReviews(subject: Subject): void {
  describeIn(subject, 'admission-reviews', (place) => {
    const hooks = useHooks(place)
    const only = (name: string): Json => {
      const reviews = hooks.reviewsOf(name)
      expect(reviews).toHaveLength(1)
      return reviews[0].request
    }
    const last = (name: string): Json => hooks.reviewsOf(name).at(-1).request

    beforeAll(async () => {
      await hooks.register('validating', 'reviews', { rules: [rule(RESOURCES)] })
    })

    it('have the object as it is stored, with who asks and how', async () => {
      const path = `${place.path('configmaps')}?fieldManager=tests&fieldValidation=Strict`
      accepted(await place.client.post(path, { metadata: { name: 'created' }, data: { k: 'v' } }))
      const { uid, userInfo, object, ...request } = only('created')
      expect(uid).toMatch(/^[0-9a-f-]{36}$/)
      expect(userInfo.username).not.toBe('')
      expect(userInfo.groups).toContain('system:masters')
      expect(object).toMatchObject({
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { name: 'created', namespace: place.namespace, managedFields: [{ manager: 'tests' }] },
        data: { k: 'v' },
      })
      expect(object.metadata).toHaveProperty('uid')
      expect(object.metadata).not.toHaveProperty('resourceVersion')
      expect(request).toEqual({
        kind: GVK('ConfigMap'),
        resource: GVR('configmaps'),
        requestKind: GVK('ConfigMap'),
        requestResource: GVR('configmaps'),
        name: 'created',
        namespace: place.namespace,
        operation: 'CREATE',
        oldObject: null,
        dryRun: false,
        options: {
          kind: 'CreateOptions',
          apiVersion: 'meta.k8s.io/v1',
          fieldManager: 'tests',
          fieldValidation: 'Strict',
        },
      })
      expect(hooks.reviewsOf('created')[0]).toMatchObject({
        kind: 'AdmissionReview',
        apiVersion: 'admission.k8s.io/v1',
      })
    })

    it('have the old object of an update, a patch and a deletion', async () => {
      await place.create('configmaps', { metadata: { name: 'changed' }, data: { k: '1' } })
      const path = place.path('configmaps', 'changed')
      accepted(await place.client.put(path, { metadata: { name: 'changed' }, data: { k: '2' } }))
      expect(last('changed')).toMatchObject({
        operation: 'UPDATE',
        object: { data: { k: '2' } },
        oldObject: { data: { k: '1' } },
        options: { kind: 'UpdateOptions' },
      })
      accepted(await place.client.patch(`${path}?dryRun=All`, { data: { k: '3' } }))
      expect(last('changed')).toMatchObject({
        operation: 'UPDATE',
        object: { data: { k: '3' } },
        dryRun: true,
        options: { kind: 'UpdateOptions', dryRun: ['All'] },
      })
      accepted(await place.client.delete(path, { propagationPolicy: 'Background' }))
      expect(last('changed')).toMatchObject({
        operation: 'DELETE',
        object: null,
        oldObject: { data: { k: '2' } },
        options: { kind: 'DeleteOptions', propagationPolicy: 'Background' },
      })
    })

    it('are of a creation for an apply that creates, of an update afterwards', async () => {
      const apply = (data: Json) =>
        place.client.send('PATCH', `${place.path('configmaps', 'applied')}?fieldManager=tests`, {
          body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data },
          headers: { 'content-type': 'application/apply-patch+yaml' },
        })
      accepted(await apply({ k: '1' }))
      expect(last('applied')).toMatchObject({ operation: 'CREATE', options: { kind: 'CreateOptions' } })
      expect(last('applied').object.metadata.managedFields).toMatchObject([{ operation: 'Apply' }])
      accepted(await apply({ k: '2' }))
      expect(last('applied')).toMatchObject({ operation: 'UPDATE', oldObject: { data: { k: '1' } } })
    })

    it('name the subresource, with the kind that it is written as', async () => {
      await place.create('serviceaccounts', { metadata: { name: 'account' } })
      accepted(await place.client.post(`${place.path('serviceaccounts', 'account')}/token`, {}))
      expect(last('account')).toMatchObject({
        kind: GVK('TokenRequest', 'authentication.k8s.io'),
        resource: GVR('serviceaccounts'),
        subResource: 'token',
        requestSubResource: 'token',
        operation: 'CREATE',
      })
      const pod = { serviceAccountName: 'account', containers: [{ name: 'c', image: 'i' }] }
      await place.create('pods', { metadata: { name: 'pod' }, spec: pod })
      const binding = { metadata: { name: 'pod' }, target: { kind: 'Node', name: 'n' } }
      accepted(await place.client.post(`${place.path('pods', 'pod')}/binding`, binding))
      expect(last('pod')).toMatchObject({ kind: GVK('Binding'), subResource: 'binding', oldObject: null })
      const status = { status: { phase: 'Running' }, metadata: { labels: { a: 'b' } } }
      accepted(await place.client.patch(`${place.path('pods', 'pod')}/status`, status))
      expect(last('pod')).toMatchObject({
        kind: GVK('Pod'),
        subResource: 'status',
        operation: 'UPDATE',
        object: { status: { phase: 'Running' }, spec: { nodeName: 'n' } },
        oldObject: { status: { phase: 'Pending' } },
      })
      accepted(await place.client.delete(place.path('pods', 'pod')))
      expect(last('pod')).toMatchObject({ operation: 'DELETE', options: { gracePeriodSeconds: 30 } })
      await place.client.delete(place.path('pods', 'pod'), { gracePeriodSeconds: 0 })
    })

    it('are of the first version that the webhook and the server know', async () => {
      const admissionReviewVersions = ['v2', 'v1beta1', 'v1']
      await hooks.register('validating', 'beta', { rules: [rule('endpoints')], admissionReviewVersions })
      await place.create('endpoints', { metadata: { name: 'beta' } })
      expect(hooks.reviewsOf('beta')[0]).toMatchObject({
        apiVersion: 'admission.k8s.io/v1beta1',
        request: { operation: 'CREATE', kind: GVK('Endpoints') },
      })
    })
  })
}
