import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../json/exact-numbers.ts'
import { decodeObject, encodeObject, hasProtobuf } from './envelope.ts'
import { ProtobufError } from './errors.ts'

interface RoundTrip {
  readonly name: string
  /** base64 */
  readonly protobuf: string
  readonly object: JsonObject
}

/**
 * Objects of the built-in kinds with every field set, as the release 1.36 of k8s.io/api writes them (its
 * testdata/HEAD).
 */
const roundTrips = gunzipSync(readFileSync(new URL('./testdata/round-trips.ndjson.gz', import.meta.url)))
  .toString()
  .trim()
  .split('\n')
  .map((line): RoundTrip => JSON.parse(line))

const bytesOf = (object: JsonObject): Uint8Array => {
  const bytes = encodeObject(object)
  if (bytes === undefined) throw new Error(`${object.kind} has no protobuf form`)
  return bytes
}

describe('the protobuf form of objects', () => {
  it('is known for the kinds of the generic control plane and its services', () => {
    expect(roundTrips.length).toBeGreaterThan(35)
  })

  it.each(roundTrips)('of $name is read with every field', ({ protobuf, object }) => {
    expect(decodeObject(Buffer.from(protobuf, 'base64'))).toEqual(object)
  })

  it.each(roundTrips)('of $name is written byte for byte as upstream does', ({ protobuf, object }) => {
    expect(Buffer.from(bytesOf(object)).toString('base64')).toBe(protobuf)
  })

  it('holds lists, their kind being that of their items with List at its end', () => {
    const list = {
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '7' },
      items: [{ metadata: { name: 'a' }, data: { key: 'value' } }],
    }
    expect(decodeObject(bytesOf(list))).toMatchObject(list)
  })

  it('keeps names of members that mean something to JavaScript as data', () => {
    const data = JSON.parse('{"__proto__":"x","constructor":"y"}')
    const decoded = decodeObject(bytesOf({ kind: 'ConfigMap', apiVersion: 'v1', data }))
    expect(JSON.stringify(decoded.data)).toBe(JSON.stringify(data))
  })

  it('is not there for custom resources and unknown versions', () => {
    expect(hasProtobuf('example.com/v1', 'ConfigMap')).toBe(false)
    expect(hasProtobuf('v2', 'ConfigMap')).toBe(false)
    expect(encodeObject({ kind: 'Widget', apiVersion: 'example.com/v1' })).toBeUndefined()
  })

  it('of a custom resource definition has schemas, booleans and lists in place of them', () => {
    const schema = {
      type: 'object',
      properties: {
        list: { type: 'array', items: { type: 'string' } },
        map: { type: 'object', additionalProperties: true },
        choice: { enum: ['a', 1, null], default: { deep: [1] } },
      },
      dependencies: { a: ['b'], c: { type: 'string' } },
    }
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }]
    const definition = {
      kind: 'CustomResourceDefinition',
      apiVersion: 'apiextensions.k8s.io/v1',
      spec: { versions },
    }
    expect(decodeObject(bytesOf(definition))).toMatchObject(definition)
  })
})

describe('bytes that are no object', () => {
  it('are refused where the prefix is missing', () => {
    expect(() => decodeObject(Buffer.from('{"kind":"ConfigMap"}'))).toThrow(
      /expected prefix \[107 56 115 0\]/,
    )
  })

  it('are refused where they are cut off or changed, never read as something that crashes', () => {
    const whole = Buffer.from(bytesOf(roundTrips.find(({ name }) => name === 'core.v1.Pod')?.object ?? {}))
    fc.assert(
      fc.property(
        fc.nat(whole.length - 1),
        fc.integer({ min: 0, max: 255 }),
        fc.boolean(),
        (at, byte, cut) => {
          const bytes = Buffer.from(cut ? whole.subarray(0, at) : whole)
          if (!cut) bytes[at] = byte
          try {
            expect(decodeObject(bytes).kind).toBe('Pod')
          } catch (error) {
            if (!(error instanceof ProtobufError)) throw error
          }
        },
      ),
    )
  })

  it('are refused where messages nest without end', () => {
    let schema: JsonObject = { type: 'string' }
    for (let depth = 0; depth < 300; depth++) schema = { not: schema }
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }]
    const definition = {
      kind: 'CustomResourceDefinition',
      apiVersion: 'apiextensions.k8s.io/v1',
      spec: { versions },
    }
    expect(() => decodeObject(bytesOf(definition))).toThrow(/more than 200 deep/)
  })
})
