import { beforeAll, expect, it } from 'vitest'
import { describeRefusals } from './refusals.ts'
import { describeIn, type Subject } from './subject.ts'

/** Describes queries and headers, and the order in which a server looks at them. */
export function describeRequestOptions(subject: Subject): void {
  describeIn(subject, 'request-options', (place) => {
    const list = () => place.path('configmaps')

    beforeAll(async () => {
      await place.create('configmaps', { metadata: { name: 'here' } })
    })

    describeRefusals(place, 'request-options')

    it('reads the body of a write below an object before it looks for the object', async () => {
      const path = `${place.path('resourcequotas', 'none')}/status`
      expect((await place.client.put(path, { metadata: { name: 'other' } })).status).toBe(400)
      const named = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'none' } }
      expect((await place.client.put(path, named)).status).toBe(404)
    })

    it('keeps browsers from guessing what a refusal is', async () => {
      const headers = { 'impersonate-user': 'nobody' }
      const { status, headers: reported } = await place.client.get(list(), headers)
      expect([status, reported['x-content-type-options']]).toEqual([403, 'nosniff'])
      const none = await place.client.get('/APIS/nothing/v1/here')
      expect([none.status, none.headers['x-content-type-options']]).toEqual([404, 'nosniff'])
    })

    it('keeps of owners that stand twice one, and says so', async () => {
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u' }
      const { body, headers } = await place.client.post(list(), {
        metadata: { name: 'owned', ownerReferences: [owner, owner] },
      })
      expect(body.metadata.ownerReferences).toEqual([owner])
      expect(headers.warning).toMatch(/ownerReferences contains duplicate entries; .* observed: u"$/)
      const patched = await place.client.patch(`${list()}/owned`, {
        metadata: { ownerReferences: [owner, owner] },
      })
      expect(patched.body.metadata.ownerReferences).toEqual([owner])
      expect(patched.headers.warning).toMatch(/duplicate entries after mutating admission happens; /)
    })

    it('closes the state that a watch begins with by a bookmark where bookmarks are allowed', async () => {
      for (const version of ['', '&resourceVersion=0']) {
        const watch = await place.client.watch(`${list()}?allowWatchBookmarks=true${version}`)
        const events = await watch.until(({ type }) => type === 'BOOKMARK')
        watch.close()
        expect(events.at(-1).object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' })
      }
    })
  })
}
