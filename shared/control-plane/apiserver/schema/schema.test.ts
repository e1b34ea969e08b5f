import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonical } from './decode.ts'
import { duplicateKeys } from './duplicate-keys.ts'

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

it('finds none in what JSON.stringify writes', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(duplicateKeys(JSON.stringify(JSON.parse(text)))).toEqual([])
    }),
  )
})
