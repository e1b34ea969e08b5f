import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { operationsOf, patchedObject } from './patch.ts'
import { checkedResponse, decodedReview, denialOf, type Expected } from './response.ts'

const answer = (response: JsonObject, apiVersion = 'admission.k8s.io/v1'): JsonObject => ({
  kind: 'AdmissionReview',
  apiVersion,
  response,
})
const read = (value: JsonValue, expected: Partial<Expected> = {}) => {
  const { version = 'v1' } = expected
  return checkedResponse(decodedReview(value, version), { uid: 'u', version, mutating: true, ...expected })
}
const base64 = (value: JsonValue): string => Buffer.from(JSON.stringify(value)).toString('base64')

describe('an answer', () => {
  it('denies where it does not say that it allows', () => {
    expect(read(answer({ uid: 'u' })).allowed).toBe(false)
  })

  it('of v1beta1 may leave out what it answers to', () => {
    const response = { response: { allowed: true, patch: base64([{ op: 'remove', path: '/a' }]) } }
    const checked = read(response, { version: 'v1beta1' })
    expect(checked.allowed).toBe(true)
    expect(operationsOf(checked)).toMatchObject([{ op: 'remove' }])
    expect(operationsOf(read(response, { version: 'v1beta1', mutating: false }))).toEqual([])
  })

  it.each<[string, JsonValue, string]>([
    ['is nothing', null, 'webhook response was absent'],
    [
      'is a list',
      [],
      "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value",
    ],
    [
      'is a Status',
      { kind: 'Status', apiVersion: 'v1' },
      'converting (v1.Status) to (v1.AdmissionReview): unknown conversion',
    ],
    ['has inherited members only', { response: null }, 'webhook response was absent'],
    ['warns of numbers', answer({ uid: 'u', warnings: [1] }), 'response.warnings of type string'],
    ['annotates with a list', answer({ uid: 'u', auditAnnotations: [] }), 'of type map[string]string'],
    ['has a status that is none', answer({ uid: 'u', status: 'x' }), 'response.status of type v1.Status'],
    ['has no response', { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' }, 'was absent'],
    ['answers another request', answer({ uid: 'z' }), 'expected response.uid="u", got "z"'],
    ['says not what it is', { response: { uid: 'u' } }, 'Kind=AdmissionReview, got /, Kind='],
    ['allows by a word', answer({ uid: 'u', allowed: 'yes' }), 'response.allowed of type bool'],
    ['has a list for its response', { ...answer({}), response: [] }, 'of type v1.AdmissionResponse'],
    ['is of another version', answer({}, 'admission.k8s.io/v1beta1'), 'unknown conversion'],
    ['is of an unknown kind', { ...answer({}), kind: 'Foo' }, 'no kind "Foo" is registered'],
    ['is a text', 'hello', 'cannot unmarshal string into Go value of type struct'],
    ['has a patch without a type', answer({ uid: 'u', patch: 'W10=' }), 'returned response.patch but not'],
    [
      'has a type without a patch',
      answer({ uid: 'u', patchType: 'JSONPatch' }),
      'returned response.patchType but not response.patch',
    ],
  ])('does not count that %s', (_, value, text) => {
    expect(() => read(value)).toThrow(text)
  })

  it('of any form is read or refused with an Error, and leaves no trace in prototypes', () => {
    const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>
    const hostile = fc.record(
      {
        uid: fc.oneof(fc.constant('u'), json),
        allowed: json,
        status: json,
        patch: fc.oneof(json, json.map(base64)),
        patchType: fc.oneof(fc.constant('JSONPatch'), json),
        warnings: json,
        auditAnnotations: fc.oneof(json, fc.constant(JSON.parse('{"__proto__":{"polluted":"yes"}}'))),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(hostile, fc.constantFrom('v1', 'v1beta1'), (response, version) => {
        try {
          const checked = read(answer(response as JsonObject), { version })
          expect(checked.allowed).toBeTypeOf('boolean')
          const denial = denialOf('w', checked.status)
          expect(operationsOf(checked)).toBeInstanceOf(Array)
          expect(denial.code).toBeGreaterThanOrEqual(400)
          JSON.stringify(denial.status)
        } catch (error) {
          expect(error).toBeInstanceOf(Error)
          expect(error).not.toBeInstanceOf(TypeError)
        }
        expect({}).not.toHaveProperty('polluted')
      }),
    )
  })
})

describe('a patch', () => {
  it.each<[string, string]>([
    ['['.repeat(100_000), 'exceeded max depth 500'],
    ['{', 'unexpected end of JSON input'],
    ['{}', 'json: cannot unmarshal object into Go value of type jsonpatch.Patch'],
    ['["x"]', 'json: cannot unmarshal string into Go value of type jsonpatch.Operation'],
  ])('cannot be read: %.20s', (text, why) => {
    const patch = Buffer.from(text).toString('base64')
    expect(() => operationsOf({ patch })).toThrow(`received undecodable patch in webhook response: ${why}`)
  })

  it.each<[JsonObject, string]>([
    [{ op: 'remove', path: '/x/y/z' }, 'remove operation does not apply: doc is missing path: "/x/y/z"'],
    [{ op: 'test', path: '/data/a', value: 'other' }, 'testing value /data/a failed: test failed'],
    [
      { op: 'add', path: '/x/y/z', value: 'z' },
      'add operation does not apply: doc is missing path: "/x/y/z"',
    ],
    [{ op: 'add', path: '', value: {} }, 'add operation does not apply: doc is missing path: ""'],
    [{ op: 'add', value: {} }, 'add operation failed to decode path: missing value'],
    [{ op: 'replace', path: '/x/y/z', value: 'z' }, 'replace operation does not apply: doc is missing path'],
    [{ op: 'replace', value: {} }, 'replace operation failed to decode path: operation missing path field'],
    [
      { op: 'move', from: '/x/y/z', path: '/data/b' },
      'move operation does not apply: doc is missing from path',
    ],
    [{ op: 'move', path: '/data/b' }, 'move operation failed to decode from: operation, missing from field'],
    [{ op: 'copy', from: '', path: '/data/b' }, 'copy operation does not apply: doc is missing from path: :'],
    [{ op: 'swap', path: '/data/a' }, 'Unexpected kind: swap'],
    [{ op: 'replace', path: '/kind', value: 'Nope' }, 'no kind "Nope" is registered for version "v1"'],
    [{ op: 'replace', path: '/apiVersion', value: 'apps/v1' }, 'registered for version "apps/v1"'],
    [
      { op: 'replace', path: '/metadata', value: 'x' },
      'Go struct field ConfigMap.metadata of type v1.ObjectMeta',
    ],
  ])('does not apply: %j', (operation, why) => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'b' } }
    expect(() => patchedObject(object, [operation])).toThrow(why)
  })
})
