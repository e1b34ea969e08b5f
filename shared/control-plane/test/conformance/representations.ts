import { gunzipSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { makeSlice } from '../../../../test/support/objects.ts'
import { accepted, describeIn, type Subject } from './subject.ts'

const as = (kind: string): { accept: string } => ({
  accept: `application/json;as=${kind};g=meta.k8s.io;v=v1`,
})

/** Describes the forms that kubectl and metadata clients ask for. */
export function describeRepresentations(subject: Subject): void {
  describeIn(subject, 'representations', (place) => {
    const list = () => place.path('endpointslices')

    beforeAll(async () => {
      await place.create(
        'endpointslices',
        makeSlice({
          namespace: place.namespace,
          name: 'shown',
          endpoints: [{ addresses: ['10.1.2.3'] }, { addresses: ['10.1.2.4'] }],
          ports: [{ name: 'http', port: 8080 }],
        }),
      )
    })

    it('falls back to JSON where the table is only one of the forms', async () => {
      const accept = `${as('Table').accept.replace('v=v1', 'v=v9')},application/json`
      expect(accepted(await place.client.get(list(), { accept })).kind).toBe('EndpointSliceList')
    })

    it('gives the metadata alone of what was written, where that is asked for', async () => {
      const headers = { 'content-type': 'application/json', ...as('PartialObjectMetadata') }
      const write = async (method: string, path: string, body: object, type = 'application/json') =>
        accepted(
          await place.client.send(method, path, { body, headers: { ...headers, 'content-type': type } }),
        )
      const slice = makeSlice({ namespace: place.namespace, name: 'written' })
      const path = place.path('endpointslices', 'written')
      const created = await write('POST', list(), slice)
      const updated = await write('PUT', path, { ...slice, endpoints: [{ addresses: ['10.1.2.5'] }] })
      const labels = { metadata: { labels: { written: 'again' } } }
      const patched = await write('PATCH', path, labels, 'application/merge-patch+json')
      const { body } = await place.client.get(path)
      for (const answer of [created, updated, patched]) {
        expect(answer).toEqual({
          apiVersion: 'meta.k8s.io/v1',
          kind: 'PartialObjectMetadata',
          metadata: expect.objectContaining({ name: 'written', uid: body.metadata.uid }),
        })
      }
      expect(patched.metadata).toEqual(body.metadata)
      expect(body.endpoints[0].addresses).toEqual(['10.1.2.5'])
      expect(updated.metadata.generation).toBe(created.metadata.generation + 1)
      await place.client.delete(path)
    })

    it('has no tables of reviews and of tokens', async () => {
      const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
      const asked = { ...headers, 'content-type': 'application/json' }
      const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
      const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
      const { status, body } = await place.client.send('POST', reviews, { body: review, headers: asked })
      expect(status).toBe(406)
      expect(body.message).toBe(
        'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      )
      const token = place.path('serviceaccounts', 'default/token')
      expect((await place.client.send('POST', token, { body: {}, headers: asked })).status).toBe(406)
    })

    it('indents JSON where that is asked for', async () => {
      const path = '/api/v1/namespaces/default'
      const isIndented = async (address: string, accept = 'application/json'): Promise<boolean> =>
        (await subject.client.get(address, { accept, 'user-agent': 'suite' })).text.startsWith('{\n  "kind"')
      expect(await isIndented(path)).toBe(false)
      expect(await isIndented(`${path}?pretty=true`)).toBe(true)
      expect(await isIndented(`${path}?pretty=0`)).toBe(false)
      expect(await isIndented(path, 'application/json;pretty=1')).toBe(true)
    })

    it('compresses what is long for those that take it', async () => {
      await place.create('configmaps', { metadata: { name: 'long' }, data: { a: 'abcd'.repeat(40_000) } })
      const path = place.path('configmaps', 'long')
      const long = await subject.client.get(path, { 'accept-encoding': 'deflate, gzip' })
      expect([long.headers['content-encoding'], long.headers.vary]).toEqual(['gzip', 'Accept-Encoding'])
      expect(gunzipSync(long.bytes).toString()).toContain('abcdabcd')
      for (const encoding of ['identity', 'gzip;q=0']) {
        const { headers } = await subject.client.get(path, { 'accept-encoding': encoding })
        expect(headers['content-encoding']).toBeUndefined()
      }
      const short = await subject.client.get('/api/v1/namespaces/default', { 'accept-encoding': 'gzip' })
      expect(short.headers['content-encoding']).toBeUndefined()
    })
  })
}
