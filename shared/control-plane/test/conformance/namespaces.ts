import { expect, it } from 'vitest'
import { makeSlice } from '../../../../test/support/objects.ts'
import { accepted, describeIn, type Subject } from './subject.ts'

export function describeNamespaces(subject: Subject): void {
  describeIn(subject, 'namespaces', (place) => {
    it('has the system’s namespaces from the start', async () => {
      const { items } = accepted(await place.client.get('/api/v1/namespaces'))
      const names = items.map((item: { metadata: { name: string } }) => item.metadata.name)
      expect(names).toEqual(expect.arrayContaining(['default', 'kube-public', 'kube-system']))
    })

    it('refuses new objects in a namespace that is ending, and says so in the causes', async () => {
      const name = 'ending'
      accepted(await place.client.post('/api/v1/namespaces', { metadata: { name } }))
      const path = `/apis/discovery.k8s.io/v1/namespaces/${name}/endpointslices`
      const held = makeSlice({ namespace: name, name: 'held' })
      held.metadata = { ...held.metadata, finalizers: ['example.org/wait'] }
      accepted(await place.client.post(path, held))
      accepted(await place.client.delete(`/api/v1/namespaces/${name}`))
      const { status, body } = await place.client.post(path, makeSlice({ namespace: name, name: 'late' }))
      expect(status).toBe(403)
      expect(body.reason).toBe('Forbidden')
      expect(body.details.causes).toMatchObject([{ reason: 'NamespaceTerminating' }])
      accepted(await place.client.patch(`${path}/held`, { metadata: { finalizers: null } }))
    })
  })
}
