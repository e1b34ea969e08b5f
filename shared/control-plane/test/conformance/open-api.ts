import { describe, expect, it, vi } from 'vitest'
import type { Json, RawResponse } from '../../../../test/support/raw-client.ts'
import { definition, GROUP } from './custom-resources/scene.ts'
import { accepted, PATIENCE, type Subject } from './subject.ts'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'

/** Describes the documents by which kubectl validates and explains. */
export function describeOpenApi(subject: Subject): void {
  describe('openapi', () => {
    const v2 = async (): Promise<Json> => accepted(await subject.client.get('/openapi/v2'))

    it('has everything in one v2 document, as JSON and as protobuf under the same ETag', async () => {
      // What other tests have defined may still be on its way out of the document.
      const [json, binary] = await vi.waitFor(async () => {
        const asJson = await subject.client.get('/openapi/v2', { accept: 'application/json' })
        const asProtobuf = await subject.client.get('/openapi/v2', { accept: PROTOBUF })
        expect(asProtobuf.headers.etag).toBe(asJson.headers.etag)
        return [asJson, asProtobuf]
      }, PATIENCE)
      const { swagger, info, paths, definitions } = accepted(json)
      expect([swagger, info.title]).toEqual(['2.0', 'Kubernetes'])
      expect(definitions['io.k8s.api.core.v1.ConfigMap']['x-kubernetes-group-version-kind']).toEqual([
        { group: '', kind: 'ConfigMap', version: 'v1' },
      ])
      expect(paths['/api/v1/namespaces/{namespace}/configmaps'].post.operationId).toBe(
        'createCoreV1NamespacedConfigMap',
      )
      expect(binary.headers['content-type']).toBe(
        'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
      )
      // Field 1 of the document: swagger.
      expect(binary.bytes.subarray(0, 5)).toEqual(Buffer.from([0x0a, 3, ...Buffer.from('2.0')]))
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

    it('follows definitions: what is served comes and goes, in v2 without what kubectl cannot read', async () => {
      const properties = {
        spec: {
          type: 'object',
          required: ['name', 'maybe'],
          properties: {
            name: { type: 'string', minLength: 1, default: 'a' },
            maybe: { type: 'string', nullable: true },
            port: { 'x-kubernetes-int-or-string': true },
            free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      }
      const schema = { openAPIV3Schema: { description: 'A gizmo', type: 'object', properties } }
      const crd = definition('gizmos', { schema })
      accepted(await subject.client.post(CRDS, crd))
      const name = `${GROUP.split('.').reverse().join('.')}.v1.Gizmo`
      const gizmo = await vi.waitFor(async () => {
        const { definitions } = await v2()
        expect(definitions).toHaveProperty([name])
        return definitions[name]
      }, PATIENCE)
      expect(gizmo).toMatchObject({
        description: 'A gizmo',
        type: 'object',
        'x-kubernetes-group-version-kind': [{ group: GROUP, kind: 'Gizmo', version: 'v1' }],
      })
      expect(Object.keys(gizmo.properties)).toEqual(['apiVersion', 'kind', 'metadata', 'spec'])
      expect(gizmo.properties.spec).toEqual({
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', minLength: 1 },
          maybe: {},
          port: { 'x-kubernetes-int-or-string': true },
          free: { 'x-kubernetes-preserve-unknown-fields': true },
        },
      })
      const published = await documentWith(`apis/${GROUP}/v1`, name)
      expect(accepted(published).components.schemas[name].properties.spec).toEqual({
        ...properties.spec,
        properties: {
          ...properties.spec.properties,
          port: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
        },
      })
      accepted(await subject.client.delete(`${CRDS}/gizmos.${GROUP}`))
      await vi.waitFor(async () => expect((await v2()).definitions).not.toHaveProperty([name]), PATIENCE)
    })

    function documentWith(document: string, schema: string): Promise<RawResponse> {
      return vi.waitFor(async () => {
        const answer = await subject.client.get(`/openapi/v3/${document}`)
        expect(accepted(answer).components.schemas).toHaveProperty([schema])
        return answer
      }, PATIENCE)
    }
  })
}
