import { beforeAll, beforeEach, expect, it } from 'vitest'
import { makeService } from '../../../../../test/support/objects.ts'
import type { Json, RawResponse } from '../../../../../test/support/raw-client.ts'
import { accepted, describeIn, type Subject } from '../subject.ts'
import { allow, deny, rule, useHooks } from './hooks.ts'

/** Describes what a Service has reserved while webhooks look at it. */
export function describeReservations(subject: Subject): void {
  describeIn(subject, 'admission-reservations', (place) => {
    const hooks = useHooks(place)
    const post = (name: string, spec: Json = {}): Promise<RawResponse> =>
      place.client.post(place.path('services'), makeService({ namespace: place.namespace, name, spec }))
    /** Runs when the webhook is asked about a Service of that name, which is let through afterwards. */
    const during = (name: string, act: (review: Json) => Promise<void>): void =>
      hooks.answer((review, response) => {
        if (review.request.name !== name) return allow(review)
        void act(review).finally(() => {
          response.setHeader('content-type', 'application/json')
          response.end(JSON.stringify(allow(review)))
        })
        return undefined
      })

    beforeAll(async () => {
      await hooks.register('validating', 'reservations', { rules: [rule('services')] })
    })
    beforeEach(() => hooks.answer((review) => allow(review)))

    it('is its own: nobody else gets the addresses and ports that it was given', async () => {
      const answers: RawResponse[] = []
      during('first', async ({ request }) => {
        const { clusterIP, ports } = request.object.spec
        answers.push(await post('same-address', { clusterIP }))
        const type = 'NodePort'
        answers.push(await post('same-port', { type, ports: [{ port: 80, nodePort: ports[0].nodePort }] }))
      })
      const { spec } = accepted(await post('first', { type: 'NodePort' }))
      const { clusterIP, ports } = spec
      expect(answers.map(({ status, body }) => [status, body.details.causes[0].message])).toEqual([
        [
          422,
          `Invalid value: ["${clusterIP}"]: failed to allocate IP ${clusterIP}: provided IP is already allocated`,
        ],
        [422, `Invalid value: ${ports[0].nodePort}: provided port is already allocated`],
      ])
    })

    it('is its own during an update, too', async () => {
      accepted(await post('updated'))
      const ports = [{ port: 80, nodePort: 30_007 }]
      const answers: RawResponse[] = []
      during('updated', async () => {
        answers.push(await post('elsewhere', { type: 'NodePort', ports }))
      })
      accepted(
        await place.client.patch(place.path('services', 'updated'), { spec: { type: 'NodePort', ports } }),
      )
      expect(answers.map(({ status, body }) => [status, body.message])).toEqual([
        [
          422,
          'Service "elsewhere" is invalid: spec.ports[0].nodePort: Invalid value: 30007: provided port is already allocated',
        ],
      ])
    })

    it('is free again when the Service is refused', async () => {
      const spec = { type: 'NodePort', clusterIP: '10.0.0.70', ports: [{ port: 80, nodePort: 30_008 }] }
      hooks.answer((review) => deny(review))
      expect((await post('refused', spec)).status).toBe(400)
      hooks.answer((review) => allow(review))
      expect(accepted(await post('allowed', spec)).spec).toMatchObject({ clusterIP: '10.0.0.70' })
    })
  })
}
