import { describe, expect, it, vi } from 'vitest'
import { accepted, PATIENCE, type Subject } from './subject.ts'

const PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'

/** Describes the documents by which kubectl validates and explains. */
export function describeOpenApi(subject: Subject): void {
  describe('openapi', () => {
    it('has v2 as JSON and as protobuf under the same ETag', async () => {
      // What other tests have defined may still be on its way out of the document.
      await vi.waitFor(async () => {
        const json = await subject.client.get('/openapi/v2', { accept: 'application/json' })
        const { headers, bytes } = await subject.client.get('/openapi/v2', { accept: PROTOBUF })
        expect([json.body.swagger, headers.etag, headers['content-type']]).toEqual([
          '2.0',
          json.headers.etag,
          'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
        ])
        // Field 1 of the document: swagger.
        expect(bytes.subarray(0, 5)).toEqual(Buffer.from([0x0a, 3, ...Buffer.from('2.0')]))
      }, PATIENCE)
    })

    it('is not sent again to who has it, and not in other formats', async () => {
      await vi.waitFor(async () => {
        const { headers } = await subject.client.get('/openapi/v2')
        const again = await subject.client.get('/openapi/v2', { 'if-none-match': headers.etag ?? '' })
        expect([again.status, again.text]).toEqual([304, ''])
      }, PATIENCE)
      for (const path of ['/openapi/v2', '/openapi/v3/api/v1']) {
        const { status, text } = await subject.client.get(path, { accept: 'text/plain' })
        expect([status, text]).toEqual([406, ''])
      }
    })

    it('has v3 documents whose addresses change with their content', async () => {
      const { serverRelativeURL } = accepted(await subject.client.get('/openapi/v3')).paths['api/v1']
      const current = await subject.client.get(serverRelativeURL)
      expect(current.headers['cache-control']).toBe('public, immutable')
      expect(current.headers.etag).toBe(`"${serverRelativeURL.split('=')[1]}"`)
      const moved = await subject.client.get('/openapi/v3/api/v1?hash=ABCD')
      expect([moved.status, moved.headers.location]).toEqual([301, serverRelativeURL])
      const plain = await subject.client.get('/openapi/v3/api/v1')
      expect([plain.status, plain.headers['cache-control']]).toEqual([200, 'no-cache, private'])
      expect((await subject.client.get('/openapi/v3/apis/none/v1')).status).toBe(404)
    })
  })
}
