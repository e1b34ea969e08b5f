import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../apimachinery/json/index.ts'
import { canonical, duplicateKeys, unknownFields } from './index.ts'

it('writes fields in the order of the Go struct, without those that are empty', () => {
  const slice = {
    ports: [],
    addressType: 'IPv4',
    metadata: { labels: {}, name: 'a' },
    endpoints: [{ addresses: ['10.0.0.1'] }],
  }
  expect(JSON.stringify(canonical(slice, 'discovery.EndpointSlice'))).toBe(
    '{"metadata":{"name":"a"},"addressType":"IPv4","endpoints":[{"addresses":["10.0.0.1"],"conditions":{}}],"ports":null}',
  )
})

it('is stable: a canonical object stays as it is', () => {
  const pod = fc.record({
    metadata: fc.record({ name: fc.string(), labels: fc.dictionary(fc.string(), fc.string()) }),
    spec: fc.record(
      {
        hostNetwork: fc.boolean(),
        containers: fc.array(fc.record({ name: fc.string() })),
        nodeName: fc.string(),
      },
      { requiredKeys: [] },
    ),
  })
  fc.assert(
    fc.property(pod, (object) => {
      const once = canonical(object, 'core.Pod')
      expect(JSON.stringify(canonical(once, 'core.Pod'))).toBe(JSON.stringify(once))
    }),
  )
})

it('writes schemas within schemas in the same way, also where a boolean or a list may stand', () => {
  const schema = {
    items: { id: '', description: '', type: 'object', properties: { a: { type: 'string', id: '' } } },
    additionalProperties: { format: '', type: 'string' },
  }
  expect(canonical(schema, 'apiextensions.JSONSchemaProps')).toEqual({
    items: { type: 'object', properties: { a: { type: 'string' } } },
    additionalProperties: { type: 'string' },
  })
  expect(canonical({ additionalProperties: false }, 'apiextensions.JSONSchemaProps')).toEqual({
    additionalProperties: false,
  })
})

it('tells the field and the types when a value is of the wrong one', () => {
  expect(() => canonical({ spec: { containers: [{ name: 1 }] } }, 'core.Pod')).toThrow(
    'json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string',
  )
})

it('tells a type by the name that it has in Go', () => {
  const reason = (value: JsonObject, struct: string): string => {
    try {
      canonical(value, struct)
      return ''
    } catch (error) {
      return String(error).replace(/.*of type /, '')
    }
  }
  expect(reason({ spec: { restartPolicy: 1 } }, 'core.Pod')).toBe('v1.RestartPolicy')
  expect(reason({ spec: { ipFamilies: 'IPv4' } }, 'core.Service')).toBe('[]v1.IPFamily')
  expect(reason({ spec: { ipFamilies: [4] } }, 'core.Service')).toBe('v1.IPFamily')
  expect(reason({ status: { capacity: [] } }, 'core.Node')).toBe('v1.ResourceList')
  expect(reason({ spec: { extra: { a: 'b' } } }, 'authorization.SubjectAccessReview')).toBe('v1.ExtraValue')
  expect(reason({ metadata: { uid: 1 } }, 'core.Pod')).toBe('types.UID')
})

it('finds unknown fields at any depth', () => {
  const service = {
    metadata: { zzz: 1, labels: { any: 'x' } },
    spec: { ports: [{ port: 1, bogus: 2 }] },
    extra: {},
  }
  expect(unknownFields(service, 'core.Service')).toEqual(['metadata.zzz', 'spec.ports[0].bogus', 'extra'])
})

it('finds members that stand twice', () => {
  expect(
    duplicateKeys('{"data":{"a":"1","a":"2"},"data":{"b":"{\\"b\\":1}"},"list":[1,{"x":1,"x":2}]}'),
  ).toEqual(['data.a', 'data', 'list[1].x'])
})

it('finds none in what JSON.stringify writes', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(duplicateKeys(JSON.stringify(JSON.parse(text)))).toEqual([])
    }),
  )
})
