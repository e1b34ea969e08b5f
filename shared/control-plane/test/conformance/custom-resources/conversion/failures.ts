import { beforeAll, describe, expect, it } from 'vitest'
import { accepted } from '../../subject.ts'
import { GROUP } from '../scene.ts'
import type { ConversionScene } from './scene.ts'
import { convert, spoilt, spoiltObject } from './webhook.ts'

/** Describes the answers to clients when the webhook does not convert as it should. */
export function describeFailures(scene: ConversionScene): void {
  const { place, webhook, site, first } = scene
  describe('when the webhook fails', () => {
    const subject = `conversion webhook for ${GROUP}/v1, Kind=Site`
    beforeAll(async () => {
      accepted(await place.client.post(first(''), site('failing', { host: 'h', port: '1' })))
    })

    it.each([
      [
        `${subject} failed: no way`,
        spoilt({ response: { result: { status: 'Failed', message: 'no way' } } }),
      ],
      [
        `${subject} failed: response.result.status was 'Failed', not 'Success'`,
        spoilt({ response: { result: { status: 'Failed' } } }),
      ],
      [`${subject} failed: no response provided`, spoilt({ response: undefined })],
      [
        `${subject} failed: no kind "Review" is registered for version "apiextensions.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"`,
        spoilt({ kind: 'Review' }),
      ],
      [
        `${subject} failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=`,
        spoilt({ kind: undefined, apiVersion: undefined }),
      ],
      [
        `${subject} failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion`,
        spoilt({ apiVersion: 'apiextensions.k8s.io/v1beta1' }),
      ],
      [`${subject} returned 0 objects, expected 1`, spoilt({ response: { convertedObjects: [] } })],
      [`${subject} returned 2 objects, expected 1`, spoilt({ response: { convertedObjects: [{}, {}] } })],
      [
        `${subject} returned invalid object at index 0: invalid groupVersion (expected ${GROUP}/v2, received ${GROUP}/v3)`,
        spoiltObject({ apiVersion: `${GROUP}/v3` }),
      ],
      [
        `${subject} returned invalid object at index 0: invalid kind (expected Site, received Other)`,
        spoiltObject({ kind: 'Other' }),
      ],
      [
        `${subject} returned invalid object: must have the same name: failing != other`,
        spoiltObject({ metadata: { name: 'other' } }),
      ],
      [
        `${subject} returned invalid object: must have the same namespace: custom-resources != other`,
        spoiltObject({ metadata: { namespace: 'other' } }),
      ],
      [
        `${subject} returned invalid object: must have the same name: failing != `,
        spoiltObject({ metadata: undefined }),
      ],
      [
        `${subject} returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object`,
        spoiltObject({ metadata: { labels: { a: 1 } } }),
      ],
      [
        `${subject} returned invalid metadata: invalid metadata.annotations of type string in converted object`,
        spoiltObject({ metadata: { annotations: 'x' } }),
      ],
      [
        'json: cannot unmarshal string into Go value of type map[string]interface {}',
        spoilt({ response: { convertedObjects: ['x'] } }),
      ],
      [
        `${subject} failed: json: cannot unmarshal string into Go struct field ConversionResponse.response.convertedObjects of type []runtime.RawExtension`,
        spoilt({ response: { convertedObjects: 'x' } }),
      ],
    ])('a get is answered with a 500 that says so: %s', async (message, answer) => {
      webhook.answer(answer)
      const { status, body } = await place.client.get(first('failing', 'v2'))
      expect([status, body.message, body.reason, body.details]).toEqual([500, message, undefined, undefined])
    })

    it('names the requested uid and the returned one', async () => {
      webhook.answer(spoilt({ response: { uid: 'other' } }))
      const { body } = await place.client.get(first('failing', 'v2'))
      expect(body.message).toMatch(/ failed: expected response\.uid="[0-9a-f-]{36}", got "other"$/)
    })

    it('refuses an object whose uid has become another', async () => {
      webhook.answer(spoiltObject({ metadata: { uid: 'other' } }))
      const { body } = await place.client.get(first('failing', 'v2'))
      expect(body.message).toMatch(
        / returned invalid object: must have the same UID: [0-9a-f-]{36} != other$/,
      )
    })

    it.each([
      [500, 'an error on the server ("oops") has prevented the request from succeeding'],
      [
        200,
        `couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
      ],
    ])('reports an answer with the code %i', async (code, why) => {
      webhook.answer((_, response) => {
        response.statusCode = code
        response.end('oops')
      })
      const { body } = await place.client.get(first('failing', 'v2'))
      expect(body.message).toBe(`${subject} failed: ${why}`)
    })

    it('refuses every verb of the other version, and goes on with that of the storage', async () => {
      webhook.answer(spoilt({ response: { result: { status: 'Failed', message: 'no way' } } }))
      const path = first('failing', 'v2')
      const attempts = [
        await place.client.get(path),
        await place.client.patch(path, { metadata: { labels: { a: 'b' } } }),
        await place.client.delete(path),
        await place.client.post(first('', 'v2'), site('never', { address: 'h:1' }, 'v2')),
        await place.client.get(`${path}/status`),
        await place.client.patch(`${path}/status`, { status: { replicas: 2 } }),
        await place.client.get(`${path}/scale`),
        await place.client.patch(`${path}/scale`, { spec: { replicas: 2 } }),
      ]
      for (const { status, body } of attempts) {
        expect([status, body.message]).toEqual([500, expect.stringMatching(/Kind=Site failed: no way$/)])
      }
      accepted(await place.client.patch(first('failing'), { host: 'i' }))
      webhook.answer(convert)
      expect((await place.client.get(path)).body.address).toBe('i:1')
    })
  })
}
