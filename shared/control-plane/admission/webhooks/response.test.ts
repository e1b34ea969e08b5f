import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../json.ts'
import { denialOf } from './denial.ts'
import { readResponse } from './response.ts'

const answer = (response: JsonObject, apiVersion = 'admission.k8s.io/v1'): JsonObject => ({
  kind: 'AdmissionReview',
  apiVersion,
  response,
})
const read = (value: JsonValue, expected: Partial<Parameters<typeof readResponse>[1]> = {}) =>
  readResponse(value, { uid: 'u', version: 'v1', mutating: true, ...expected })
const base64 = (value: JsonValue): string => Buffer.from(JSON.stringify(value)).toString('base64')

describe('an answer', () => {
  test('is read with its patch, its warnings and its annotations', () => {
    const operations = [{ op: 'add', path: '/a', value: 1 }]
    const response = {
      uid: 'u',
      allowed: true,
      patchType: 'JSONPatch',
      patch: base64(operations),
      warnings: ['w'],
      auditAnnotations: { a: 'b' },
    }
    expect(read(answer(response))).toEqual({
      allowed: true,
      status: undefined,
      patch: operations,
      warnings: ['w'],
      auditAnnotations: { a: 'b' },
    })
  })

  test('denies where it does not say that it allows', () => {
    expect(read(answer({ uid: 'u' })).allowed).toBe(false)
  })

  test('of v1beta1 may leave out what it answers to', () => {
    const response = { response: { allowed: true, patch: base64([{ op: 'remove', path: '/a' }]) } }
    expect(read(response, { version: 'v1beta1' })).toMatchObject({ allowed: true, patch: [{ op: 'remove' }] })
    expect(read(response, { version: 'v1beta1', mutating: false }).patch).toEqual([])
  })

  test.each<[string, JsonValue, string]>([
    ['is nothing', null, 'webhook response was absent'],
    ['is a list', [], 'webhook response was absent'],
    ['has no response', { kind: 'AdmissionReview' }, 'webhook response was absent'],
    ['has inherited members only', { response: null }, 'webhook response was absent'],
    ['is to another request', answer({ uid: 'x' }), 'expected response.uid="u", got "x"'],
    [
      'is of another version',
      answer({ uid: 'u' }, 'admission.k8s.io/v2'),
      'got admission.k8s.io/v2, Kind=AdmissionReview',
    ],
    [
      'allows by a text',
      answer({ uid: 'u', allowed: 'true' }),
      'json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool',
    ],
    ['warns of numbers', answer({ uid: 'u', warnings: [1] }), 'response.warnings of type string'],
    ['annotates with a list', answer({ uid: 'u', auditAnnotations: [] }), 'of type map[string]string'],
    ['has a status that is none', answer({ uid: 'u', status: 'x' }), 'response.status of type v1.Status'],
    [
      'has a patch of another type',
      answer({ uid: 'u', patchType: 'Merge', patch: base64([]) }),
      'unsupported patch type "Merge"',
    ],
    [
      'has a patch that is no list',
      answer({ uid: 'u', patchType: 'JSONPatch', patch: base64({}) }),
      'received undecodable patch in webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch',
    ],
    [
      'has a patch that is no JSON',
      answer({ uid: 'u', patchType: 'JSONPatch', patch: '####' }),
      'received undecodable patch in webhook response',
    ],
    [
      'has a patch nested too deep',
      answer({
        uid: 'u',
        patchType: 'JSONPatch',
        patch: Buffer.from('['.repeat(100_000)).toString('base64'),
      }),
      'exceeded max depth 500',
    ],
  ])('does not count that %s', (_, value, text) => {
    expect(() => read(value)).toThrow(text)
  })

  test('of any form is read or refused with an Error, and leaves no trace in prototypes', () => {
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
          const { allowed, status, patch } = read(answer(response as JsonObject), { version })
          expect([typeof allowed, Array.isArray(patch)]).toEqual(['boolean', true])
          const denial = denialOf('w', status)
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

describe('a denial', () => {
  test('leaves out what is of the wrong type, and has a code that can be sent', () => {
    const status: JsonObject = {
      code: 1e9,
      reason: 1,
      message: ['x'],
      details: { name: 'n', kind: 7, causes: [{ message: 'm', field: {} }, 'x'], retryAfterSeconds: 'soon' },
    }
    const { code, reason, message, details } = denialOf('a.b.c', status)
    expect([code, reason, message]).toEqual([
      500,
      undefined,
      'admission webhook "a.b.c" denied the request without explanation',
    ])
    expect(details).toEqual({ name: 'n', causes: [{ message: 'm' }] })
  })
})
