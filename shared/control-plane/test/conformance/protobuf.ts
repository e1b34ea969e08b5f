import { expect, it, vi } from 'vitest'
import type { RawResponse } from '../../../../test/support/raw-client.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { decodeObject, encodeObject } from '../../apimachinery/protobuf/envelope.ts'
import { canonical } from '../../apiserver/schema/decode.ts'
import { describeIn, PATIENCE, type Subject } from './subject.ts'

const PROTOBUF = 'application/vnd.kubernetes.protobuf'
/** Headers of client-go's typed clients. */
const headers = { accept: `${PROTOBUF},application/json`, 'content-type': PROTOBUF }

const RBAC_GROUP =
  'azhzAAoOCgJ2MRIIQVBJR3JvdXASYwoZcmJhYy5hdXRob3JpemF0aW9uLms4cy5pbxIiChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEgJ2MRoiChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEgJ2MRoAIgA='
/** Makes discovery comparable. Protobuf has empty texts for members that JSON leaves out. */
const canonicalDiscovery = (object: JsonObject): JsonObject => canonical(object, `meta.${object.kind}`)

const bodyOf = (object: JsonObject): Buffer => Buffer.from(encodeObject(object) ?? [])
const objectIn = ({ bytes }: RawResponse): JsonObject => decodeObject(bytes)

/** Describes protobuf, which kubectl and controllers send. They do not fall back if it is refused. */
export function describeProtobuf(subject: Subject): void {
  describeIn(subject, 'protobuf', (place) => {
    const configMap = (name: string, data: JsonObject): JsonObject => ({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name },
      data,
    })

    it('is read from the body of a create and answered', async () => {
      const created = await place.client.send('POST', place.path('configmaps'), {
        headers,
        body: bodyOf(configMap('sent', { colour: 'blue' })),
      })
      expect(created.status).toBe(201)
      expect(created.headers['content-type']).toBe(PROTOBUF)
      expect(objectIn(created)).toMatchObject({
        kind: 'ConfigMap',
        apiVersion: 'v1',
        data: { colour: 'blue' },
      })
      const { body } = await place.client.get(place.path('configmaps', 'sent'))
      expect(body).toMatchObject({ metadata: { name: 'sent' }, data: { colour: 'blue' } })
    })

    it('is read from the body of an update and of a delete', async () => {
      const { metadata } = await place.create('configmaps', configMap('changed', {}))
      const path = place.path('configmaps', 'changed')
      const updated = await place.client.send('PUT', path, {
        headers,
        body: bodyOf({ ...configMap('changed', { colour: 'red' }), metadata }),
      })
      expect(objectIn(updated)).toMatchObject({ data: { colour: 'red' } })
      const options = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'another' } }
      const kept = await place.client.send('DELETE', path, { headers, body: bodyOf(options) })
      expect(kept.status).toBe(409)
      expect(objectIn(kept)).toMatchObject({ kind: 'Status', reason: 'Conflict' })
    })

    it('has the documents of discovery, for older clients', async () => {
      const ofGroup = await place.client.get('/apis/rbac.authorization.k8s.io', headers)
      expect(ofGroup.headers['content-type']).toBe(PROTOBUF)
      expect(ofGroup.bytes.toString('base64')).toBe(RBAC_GROUP)
      for (const path of ['/api', '/apis', '/api/v1', '/apis/rbac.authorization.k8s.io/v1']) {
        const { body } = await place.client.get(path)
        const answer = await place.client.get(path, headers)
        expect([answer.status, answer.headers['content-type']], path).toEqual([200, PROTOBUF])
        expect(canonicalDiscovery(objectIn(answer)), path).toEqual(canonicalDiscovery(body))
      }
    })

    it('has watches, each event after its length', async () => {
      await place.create('configmaps', configMap('watched', {}))
      const query = '?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dwatched'
      // A busy server may end a watch of a second before its first event.
      const { bytes, headers: answered } = await vi.waitFor(async () => {
        const answer = await place.client.get(`${place.path('configmaps')}${query}`, headers)
        expect(answer.bytes).not.toHaveLength(0)
        return answer
      }, PATIENCE)
      expect(answered['content-type']).toBe(`${PROTOBUF};stream=watch`)
      const first = bytes.subarray(4, 4 + bytes.readUInt32BE(0))
      expect(first.includes('ADDED')).toBe(true)
      expect(decodeObject(first.subarray(first.indexOf('k8s\0')))).toMatchObject({
        metadata: { name: 'watched' },
      })
    })
  })
}
