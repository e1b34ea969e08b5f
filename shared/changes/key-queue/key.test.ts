import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ENDPOINT_SELECTOR, keyFields, keyText, parseKeyText, type ServiceKey } from './key.ts'

const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,10}[a-z0-9])?$/)
const keys: fc.Arbitrary<ServiceKey> = fc.record(
  {
    cluster: fc
      .array(fc.stringMatching(/^[A-Za-z0-9:-]{1,8}$/), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join('/')),
    namespace: label,
    service: label,
    ownerKind: fc.constant(ENDPOINT_SELECTOR),
  },
  { requiredKeys: ['cluster', 'namespace', 'service'] },
)

it('the text of a key says all of it, whatever slashes the name of its cluster has', () => {
  fc.assert(
    fc.property(keys, (key) => {
      expect(parseKeyText(keyText(key))).toEqual(key)
    }),
  )
})

it('a Service and an EndpointSelector of one name are two keys', () => {
  const key = { cluster: 'a', namespace: 'shop', service: 'web' }
  expect(keyText(key)).toBe('a/shop/web')
  expect(keyText({ ...key, ownerKind: ENDPOINT_SELECTOR })).toBe('a/shop/web/EndpointSelector')
  expect(keyFields({ ...key, pods: ['web-1'] } as ServiceKey)).toEqual(key)
})
