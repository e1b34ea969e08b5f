import { expect, it } from 'vitest'
import { createRawClient } from '../../../../test/support/raw-client.ts'
import { describeIn, type Subject } from './subject.ts'

/** Describes refusals: each is a Status object that a client can read. */
export function describeErrors(subject: Subject): void {
  describeIn(subject, 'errors', (place) => {
    it('answers what is not there with a Status of 404', async () => {
      const { status, headers, body } = await place.client.get(place.path('endpointslices', 'none'))
      expect(status).toBe(404)
      expect(headers['content-type']).toBe('application/json')
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'endpointslices.discovery.k8s.io "none" not found',
        reason: 'NotFound',
        details: { name: 'none', group: 'discovery.k8s.io', kind: 'endpointslices' },
        code: 404,
      })
    })

    it('refuses a timeout that is no duration, and takes any other', async () => {
      const path = place.path('configmaps')
      const { status, body } = await place.client.get(`${path}?timeout=5`)
      expect(status).toBe(400)
      expect(body.message).toBe(
        'invalid timeout specified in the request URL - time: missing unit in duration "5"',
      )
      for (const timeout of ['0s', '-5s', '1h', '30.5s']) {
        expect((await place.client.get(`${path}?timeout=${timeout}`)).status, timeout).toBe(200)
      }
    })

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

    it('reports a time that is not a string in the words for strings', async () => {
      const { status, body } = await place.client.post(place.path('configmaps'), {
        metadata: { name: 'x', creationTimestamp: 5 },
      })
      expect(status).toBe(400)
      expect(body.message).toBe(
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
      )
    })

    it('names every invalid field in the causes of a 422', async () => {
      const slice = {
        metadata: { name: 'Not Valid' },
        addressType: 'IPv4',
        endpoints: [{ addresses: ['x'] }],
      }
      const { status, body } = await place.client.post(place.path('endpointslices'), slice)
      expect(status).toBe(422)
      expect(body).toMatchObject({ status: 'Failure', reason: 'Invalid', code: 422 })
      expect(body.details).toMatchObject({
        name: 'Not Valid',
        group: 'discovery.k8s.io',
        kind: 'EndpointSlice',
      })
      const fields = body.details.causes.map(({ field }: { field: string }) => field)
      expect(new Set(fields)).toEqual(new Set(['metadata.name', 'endpoints[0].addresses[0]']))
    })

    it.each([
      ['what is not JSON', '{"metadata":'],
      ['another kind', '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}'],
      ['a field of the wrong type', '{"metadata":{"name":7},"addressType":"IPv4","endpoints":[]}'],
    ])('refuses %s with 400 BadRequest', async (_, body) => {
      const response = await place.client.send('POST', place.path('endpointslices'), { body })
      expect(response.status).toBe(400)
      expect(response.body).toMatchObject({ kind: 'Status', reason: 'BadRequest', code: 400 })
    })

    it('refuses an object of another namespace than the path’s', async () => {
      const slice = { metadata: { name: 'a', namespace: 'other' }, addressType: 'IPv4', endpoints: [] }
      const { status, body } = await place.client.post(place.path('endpointslices'), slice)
      expect(status).toBe(400)
      expect(body.message).toContain(
        'the namespace of the provided object does not match the namespace sent on the request',
      )
    })

    it('knows no resource and no method that it does not serve', async () => {
      const unknown = await place.client.get('/api/v1/namespaces/errors/nothings')
      expect(unknown.status).toBe(404)
      expect(unknown.body).toMatchObject({
        reason: 'NotFound',
        message: 'the server could not find the requested resource',
      })
      const wrong = await place.client.put(place.path('endpointslices'), {})
      expect(wrong.status).toBe(405)
      expect(wrong.body.reason).toBe('MethodNotAllowed')
    })

    it('refuses bodies in a form that it does not read with 415', async () => {
      const { status, body } = await place.client.send('POST', place.path('endpointslices'), {
        headers: { 'content-type': 'text/plain' },
        body: 'a',
      })
      expect(status).toBe(415)
      expect(body.reason).toBe('UnsupportedMediaType')
    })

    it('answers a wrong token with 401 and nobody’s request with 403', async () => {
      const { kubeconfig } = subject.server
      const stranger = createRawClient(kubeconfig, { authorization: 'Bearer wrong' })
      const nobody = createRawClient(kubeconfig, {})
      const refused = await stranger.get(place.path('endpointslices'))
      expect(refused.status).toBe(401)
      expect(refused.body).toMatchObject({ kind: 'Status', reason: 'Unauthorized', message: 'Unauthorized' })
      const forbidden = await nobody.get(place.path('endpointslices'))
      expect(forbidden.status).toBe(403)
      expect(forbidden.body.message).toBe(
        'endpointslices.discovery.k8s.io is forbidden: User "system:anonymous" cannot list resource "endpointslices" in API group "discovery.k8s.io" in the namespace "errors"',
      )
      stranger.close()
      nobody.close()
    })
  })
}
