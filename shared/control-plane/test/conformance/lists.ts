import { beforeAll, expect, it } from 'vitest'
import { makePod, makeSlice } from '../../../../test/support/objects.ts'
import type { Json } from '../../../../test/support/raw-client.ts'
import { accepted, describeIn, type Subject } from './subject.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g']

const namesOf = (list: Json): string[] => list.items.map((item: Json) => item.metadata.name)

export function describeLists(subject: Subject): void {
  describeIn(subject, 'lists', (place) => {
    const list = async (query = ''): Promise<Json> =>
      accepted(await place.client.get(`${place.path('endpointslices')}?${query}`))

    beforeAll(async () => {
      for (const name of NAMES.toReversed()) {
        const slice = makeSlice({ namespace: place.namespace, name, service: name < 'd' ? 'web' : 'db' })
        await place.create('endpointslices', slice)
      }
    })

    it('lists all namespaces, sorted by namespace first', async () => {
      const path = '/apis/discovery.k8s.io/v1/endpointslices'
      const body = accepted(await place.client.get(path))
      const keys = body.items.map(({ metadata }: Json) => `${metadata.namespace}/${metadata.name}`)
      expect(keys).toEqual(keys.toSorted())
      expect(keys).toEqual(expect.arrayContaining(NAMES.map((name) => `lists/${name}`)))
    })

    it('selects by the fields metadata.name, and of pods spec.nodeName and status.phase', async () => {
      expect(namesOf(await list('fieldSelector=metadata.name%3Dc'))).toEqual(['c'])
      const { namespace } = place
      await place.create('pods', makePod({ namespace, name: 'on-1', nodeName: 'n-1' }))
      await place.create('pods', makePod({ namespace, name: 'on-2', nodeName: 'n-2' }))
      const pods = async (selector: string): Promise<string[]> =>
        namesOf(
          accepted(
            await place.client.get(`${place.path('pods')}?fieldSelector=${encodeURIComponent(selector)}`),
          ),
        )
      expect(await pods('spec.nodeName=n-2')).toEqual(['on-2'])
      expect(await pods('status.phase!=Running')).toEqual(['on-1', 'on-2'])
    })

    it('goes on behind the last match while there is anything else, which may match or not', async () => {
      const page = 'limit=3&labelSelector=kubernetes.io/service-name%3Dweb'
      const first = await list(page)
      expect(namesOf(first)).toEqual(['a', 'b', 'c'])
      expect(first.metadata.continue).toMatch(/./)
      const rest = await list(`${page}&continue=${first.metadata.continue}`)
      expect(rest.items).toEqual([])
      expect(rest.metadata).not.toHaveProperty('continue')
    })

    it('answers a version that is too old with 410 Expired', async () => {
      const { metadata } = await list('limit=2')
      await subject.server.expire()
      const query = `resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`
      const { status, body } = await place.client.get(`${place.path('endpointslices')}?${query}`)
      expect(status).toBe(410)
      expect(body).toMatchObject({ kind: 'Status', reason: 'Expired', code: 410 })
      const next = await place.client.get(
        `${place.path('endpointslices')}?limit=2&continue=${metadata.continue}`,
      )
      expect(next.status).toBe(410)
      expect(next.body.reason).toBe('Expired')
      expect(next.body.metadata.continue).toMatch(/./)
    })
  })
}
