import { beforeAll, expect, it } from 'vitest'
import { describeRefusals } from './refusals.ts'
import { describeIn, type Subject } from './subject.ts'

const HANDLED = 'ConfigMap in version "v1" cannot be handled as a ConfigMap:'

/** Describes the kinds of bodies, and the answers to those that are wrong. */
export function describeRequestBodies(subject: Subject): void {
  describeIn(subject, 'request-bodies', (place) => {
    const refusalOf = async (answer: Promise<{ status: number; body: { message: string } }>) => {
      const { status, body } = await answer
      return [status, body.message]
    }

    beforeAll(async () => {
      await place.create('configmaps', { metadata: { name: 'here' }, data: { color: 'red' } })
      await place.create('configmaps', { metadata: { name: 'fixed' }, data: { a: 'b' }, immutable: true })
      await place.create('configmaps', { metadata: { name: 'empty' } })
      await place.create('secrets', { metadata: { name: 'data' } })
    })

    describeRefusals(place, 'request-bodies')

    it.each([
      [{ kind: 'Secret' }, 'converting (v1.Secret) to (core.ConfigMap): unknown conversion'],
      [{ apiVersion: 'v2' }, 'no kind "ConfigMap" is registered for version "v2" in scheme'],
    ])('of patches make no other kind: %j', async (patch, why) => {
      const { status, body } = await place.client.patch(place.path('configmaps', 'empty'), patch)
      // In between stands the whole object, with its uid and times.
      expect([status, body.message]).toEqual([422, expect.stringContaining(why)])
    })

    it('get warnings about unknown and repeated fields in the order of the body', async () => {
      const metadata = '"metadata":{"name":"x","q":1,"labels":{"a":"b","a":"c"},"r":{"s":1,"s":2}}'
      const body = `{"z":1,"z":2,${metadata},"data":{"a":"b","a":"c","a":"d"},"y":1}`
      const warnings = [
        'unknown field "z"',
        'unknown field "metadata.q"',
        'duplicate field "metadata.labels.a"',
        'unknown field "metadata.r"',
        'duplicate field "data.a"',
        'unknown field "y"',
      ]
      const path = `${place.path('configmaps')}?dryRun=All&fieldValidation=`
      const warned = await place.client.post(`${path}Warn`, body)
      expect([warned.status, warned.headers.warning]).toEqual([
        201,
        warnings.map((text) => `299 - ${JSON.stringify(text)}`).join(', '),
      ])
      expect(await refusalOf(place.client.post(`${path}Strict`, body))).toEqual([
        400,
        `${HANDLED} strict decoding error: ${warnings.join(', ')}`,
      ])
    })

    it('of deletions may leave out the policy', async () => {
      const path = place.path('configmaps', 'none')
      expect((await refusalOf(place.client.delete(path, { propagationPolicy: null })))[0]).toBe(404)
    })

    it('may name finalizers without a domain for some kinds', async () => {
      const held = { metadata: { name: 'held', finalizers: ['a'] } }
      const statusAt = async (path: string) => (await place.client.post(`${path}?dryRun=All`, held)).status
      expect(await statusAt(`/apis/coordination.k8s.io/v1/namespaces/${place.namespace}/leases`)).toBe(201)
      expect(await statusAt(place.path('configmaps'))).toBe(422)
    })

    it('of token reviews keep what they say of a user whom the token does not', async () => {
      const { status, body } = await place.client.post('/apis/authentication.k8s.io/v1/tokenreviews', {
        spec: { token: 'x' },
        status: { authenticated: true, user: { username: 'u' }, audiences: ['a'], error: 'none' },
      })
      expect([status, body.status]).toEqual([
        201,
        { user: { username: 'u' }, audiences: ['a'], error: expect.stringContaining('invalid bearer token') },
      ])
    })
  })
}
