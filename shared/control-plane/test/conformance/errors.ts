import { expect, it } from 'vitest'
import { describeIn, type Subject } from './subject.ts'

/** Describes refusals: each is a Status object that a client can read. */
export function describeErrors(subject: Subject): void {
  describeIn(subject, 'errors', (place) => {
    it('quotes what a client has sent as Go does, so that nothing in it is unseen', async () => {
      const unseen = 'a\u0001\v\u007f\u00a0\u2028'
      const shown = String.raw`"a\x01\v\x7f\u00a0\u2028"`
      const path = place.path('configmaps')
      const limited = await place.client.get(`${path}?limit=${encodeURIComponent(unseen)}`)
      expect(limited.body.message).toBe(`strconv.ParseInt: parsing ${shown}: invalid syntax`)
      const missing = await place.client.get(`${path}/${encodeURIComponent(unseen)}`)
      expect(missing.body.message).toBe(`configmaps ${shown} not found`)
      const named = await place.client.post(path, { metadata: { name: unseen } })
      expect(named.body.message).toContain(
        `ConfigMap ${shown} is invalid: metadata.name: Invalid value: ${shown}: `,
      )
      const unknown = await place.client.post(`${path}?fieldValidation=Strict`, {
        metadata: { name: 'x' },
        [unseen]: 1,
      })
      expect(unknown.body.message).toContain(`unknown field ${shown}`)
      const typed = await place.client.post(place.path('services'), {
        metadata: { name: 'x' },
        spec: { type: '<\u2028&>', ports: [{ port: 1 }] },
      })
      expect(typed.body.message).toContain(
        String.raw`spec.type: Unsupported value: "\u003c\u2028\u0026\u003e": supported values: "ClusterIP"`,
      )
    })
  })
}
