import { afterEach, expect, it } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { accepted, describeIn, PATIENCE, type Subject } from '../subject.ts'
import { type Hooks, rule, useHooks } from './hooks.ts'

/** Describes which requests a webhook is asked about. */
export function describeMatching(subject: Subject): void {
  describeIn(subject, 'admission-matching', (place) => {
    const hooks: Hooks = useHooks(place)
    let current: string | undefined
    const register = async (name: string, webhook: Json) => {
      await hooks.register('validating', name, webhook)
      current = name
    }
    const isAsked = (name: string): boolean => hooks.reviewsOf(name).length > 0
    const create = (name: string, more: Json = {}) =>
      place.create('configmaps', { metadata: { name, ...more } })
    afterEach(async () => {
      if (current !== undefined) await hooks.remove('validating', current)
      current = undefined
    })

    it('by labels of the object, as it is or was', async () => {
      const objectSelector = { matchExpressions: [{ key: 'watched', operator: 'In', values: ['yes'] }] }
      await register('labels', { rules: [rule('configmaps')], objectSelector })
      await create('plain-labels')
      expect(isAsked('plain-labels')).toBe(false)
      await create('labelled', { labels: { watched: 'yes' } })
      accepted(await place.client.patch(place.path('configmaps', 'labelled'), { metadata: { labels: null } }))
      expect(hooks.reviewsOf('labelled')).toHaveLength(2)
    })

    it('by labels of the namespace', async () => {
      const matchLabels = { 'kubernetes.io/metadata.name': place.namespace }
      const namespaceSelector = { matchLabels, matchExpressions: [{ key: 'skip', operator: 'DoesNotExist' }] }
      await register('namespaces', { rules: [rule('configmaps')], namespaceSelector })
      await create('in-namespace')
      expect(isAsked('in-namespace')).toBe(true)
      const path = `/api/v1/namespaces/${place.namespace}`
      accepted(await place.client.patch(path, { metadata: { labels: { skip: 'yes' } } }))
      await expect
        .poll(async () => {
          const name = `skipped-${Math.random().toString(36).slice(2)}`
          await create(name)
          return isAsked(name)
        }, PATIENCE)
        .toBe(false)
      accepted(await place.client.patch(path, { metadata: { labels: { skip: null } } }))
    })

    it('by another version of the same objects, unless the webhook wants it exactly', async () => {
      const event = (name: string) =>
        place.client.post(place.path('events'), {
          metadata: { name },
          involvedObject: { namespace: place.namespace },
        })
      const rules = [
        { operations: ['*'], apiGroups: ['events.k8s.io'], apiVersions: ['v1'], resources: ['events'] },
      ]
      await register('equivalent', { rules })
      accepted(await event('equivalent'))
      expect(hooks.reviewsOf('equivalent')[0].request).toMatchObject({
        kind: { group: 'events.k8s.io', version: 'v1', kind: 'Event' },
        requestKind: { group: '', version: 'v1', kind: 'Event' },
        object: { apiVersion: 'events.k8s.io/v1', regarding: { namespace: place.namespace } },
      })
      await hooks.remove('validating', 'equivalent')
      await register('exact', { rules, matchPolicy: 'Exact' })
      accepted(await event('exact'))
      expect(isAsked('exact')).toBe(false)
    })

    it('not where it is about admission itself', async () => {
      await register('itself', {
        rules: [rule('*', ['*'], ['admissionregistration.k8s.io'])],
        namespaceSelector: {},
      })
      const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
      accepted(await place.client.post(path, { metadata: { name: 'of-itself' } }))
      accepted(await place.client.delete(`${path}/of-itself`))
      expect(isAsked('of-itself')).toBe(false)
    })
  })
}
