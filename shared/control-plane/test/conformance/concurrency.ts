import { expect, it } from 'vitest'
import { makeSlice } from '../../../../test/support/objects.ts'
import { describeIn, type Subject } from './subject.ts'

/** Describes what conditional writes rely on: nobody overwrites or deletes what they have not seen. */
export function describeConcurrency(subject: Subject): void {
  describeIn(subject, 'concurrency', (place) => {
    const path = (name: string): string => place.path('endpointslices', name)
    const create = (name: string) =>
      place.create('endpointslices', makeSlice({ namespace: place.namespace, name }))

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
  })
}
