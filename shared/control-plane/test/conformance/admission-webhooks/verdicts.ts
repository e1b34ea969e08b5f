import { beforeAll, beforeEach, expect, it } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { describeIn, type Subject } from '../subject.ts'
import { allow, deny, outcomeOf, rule, useHooks } from './hooks.ts'

const WEBHOOK = 'w0.verdicts.example.com'
const DENIED = `admission webhook "${WEBHOOK}" denied the request`

/** Describes what the answers of a validating webhook do to a request. */
export function describeVerdicts(subject: Subject): void {
  describeIn(subject, 'admission-verdicts', (place) => {
    const hooks = useHooks(place)
    const post = (name: string, query = '') =>
      place.client.post(`${place.path('configmaps')}${query}`, { metadata: { name } })

    beforeAll(async () => {
      await hooks.register('validating', 'verdicts', { rules: [rule('configmaps')] })
    })
    beforeEach(() => hooks.answer((review) => allow(review)))

    it.each<[Json, Json[]]>([
      [undefined, [400, undefined, `${DENIED} without explanation`]],
      [{ message: 'no way' }, [400, undefined, `${DENIED}: no way`]],
      [{ reason: 'Nope' }, [400, 'Nope', `${DENIED}: Nope`]],
      [
        { code: 418, reason: 'Teapot', message: 'short and stout' },
        [418, 'Teapot', `${DENIED}: short and stout`],
      ],
      [{ code: 200, message: 'fine' }, [400, undefined, `${DENIED}: fine`]],
    ])('refuses with %j', async (status, outcome) => {
      hooks.answer((review) => deny(review, status))
      const response = await post('refused')
      expect(outcomeOf(response)).toEqual(outcome)
      expect(response.body).toMatchObject({ kind: 'Status', status: 'Failure', code: outcome[0] })
      expect((await place.client.get(place.path('configmaps', 'refused'))).status).toBe(404)
    })

    it('passes on when the client may retry', async () => {
      hooks.answer((review) => deny(review, { code: 409, details: { retryAfterSeconds: 7 } }))
      const { status, headers, body } = await post('refused')
      expect([status, headers['retry-after']]).toEqual([409, '7'])
      expect(body.details).toEqual({ retryAfterSeconds: 7 })
    })

    it('refuses updates, patches and deletions, and keeps the object', async () => {
      await post('kept')
      hooks.answer((review) => deny(review))
      const path = place.path('configmaps', 'kept')
      const denials = [
        await place.client.put(path, { metadata: { name: 'kept' }, data: { k: 'v' } }),
        await place.client.patch(path, { data: { k: 'v' } }),
        await place.client.delete(path),
        await place.client.delete(`${place.path('configmaps')}?fieldSelector=metadata.name=kept`),
      ]
      for (const denial of denials) {
        expect(outcomeOf(denial)).toEqual([400, undefined, `${DENIED} without explanation`])
      }
      const { status, body } = await place.client.get(path)
      expect([status, body.data]).toEqual([200, undefined])
    })

    it('warns with what the webhook warns of, allowed or not', async () => {
      hooks.answer((review) => allow(review, { warnings: ['careful "there"', 'twice', 'twice'] }))
      expect((await post('warned')).headers.warning).toBe('299 - "careful \\"there\\"", 299 - "twice"')
      hooks.answer((review) => allow(review, { allowed: false, warnings: ['told you'] }))
      expect((await post('denied')).headers.warning).toBe('299 - "told you"')
    })

    it('refuses what a second webhook denies that is asked at the same time', async () => {
      let arrived = 0
      const both = Promise.withResolvers<void>()
      const second = { rules: [rule('services')] }
      await hooks.register('validating', 'parallel', second, second)
      hooks.answer((review, response) => {
        if (++arrived === 2) both.resolve()
        void both.promise.then(() =>
          response.end(JSON.stringify(arrived === 2 ? deny(review) : allow(review))),
        )
      })
      const service = { metadata: { name: 's' }, spec: { ports: [{ port: 1 }] } }
      const { status, body } = await place.client.post(place.path('services'), service)
      expect(status).toBe(400)
      expect(body.message).toMatch(/^admission webhook "w[01].parallel.example.com" denied the request/)
      expect(arrived).toBe(2)
    })
  })
}
