import { expect, it } from 'vitest'
import { makeSlice } from '../../../../test/support/objects.ts'
import { accepted, describeIn, type Subject } from './subject.ts'

/** Describes what conditional writes rely on: nobody overwrites or deletes what they have not seen. */
export function describeConcurrency(subject: Subject): void {
  describeIn(subject, 'concurrency', (place) => {
    const path = (name: string): string => place.path('endpointslices', name)
    const create = (name: string) =>
      place.create('endpointslices', makeSlice({ namespace: place.namespace, name }))
    const change = async (name: string) =>
      accepted(await place.client.patch(path(name), { metadata: { labels: { changed: 'yes' } } }))

    it('refuses an update from an older version with 409 Conflict', async () => {
      const read = await create('updated')
      await change('updated')
      const { status, body } = await place.client.put(path('updated'), read)
      expect(status).toBe(409)
      expect(body).toMatchObject({
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on endpointslices.discovery.k8s.io "updated": the object has been modified; please apply your changes to the latest version and try again',
      })
    })

    it('lets only one of many concurrent updates of one version through', async () => {
      const read = await create('raced')
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) => {
          const metadata = { ...read.metadata, labels: { ...read.metadata.labels, writer: String(index) } }
          return place.client.put(path('raced'), { ...read, metadata })
        }),
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(409)])
    })

    it('lets only one of many concurrent creates of one name through', async () => {
      const object = makeSlice({ namespace: place.namespace, name: 'create-raced' })
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => place.client.post(place.path('endpointslices'), object)),
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(409)])
    })

    it.each(['uid', 'resourceVersion'])(
      'deletes only on condition of the %s that was given',
      async (field) => {
        const name = `kept-${field.toLowerCase()}`
        const created = await create(name)
        const wrong = await place.client.delete(path(name), { preconditions: { [field]: '1' } })
        expect(wrong.status).toBe(409)
        expect(wrong.body.reason).toBe('Conflict')
        expect((await place.client.get(path(name))).status).toBe(200)
        const right = await place.client.delete(path(name), {
          preconditions: { [field]: created.metadata[field] },
        })
        expect(right.status).toBe(200)
        expect((await place.client.get(path(name))).status).toBe(404)
      },
    )
  })
}
