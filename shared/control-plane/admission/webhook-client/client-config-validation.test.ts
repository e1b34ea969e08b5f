import { expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { Field } from '../../apimachinery/validation/field.ts'
import { certificateAuthority } from '../../auth/security/certificates.ts'
import { validateCaBundle, validateClientConfig } from './client-config-validation.ts'

const at = (value: JsonValue): Field => new Field(value, 'at')
const texts = (config: JsonObject): string[] =>
  at(config)
    .collect(validateClientConfig)
    .map(({ field, message }) => `${field}: ${message}`)
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const FORM = 'desired format: https://host[/path]'

it('takes a URL or a service, not both and not neither', () => {
  expect(texts({ url: 'https://example.com/convert' })).toEqual([])
  expect(texts({ service: { name: 'a', namespace: 'b', path: '/c' } })).toEqual([])
  const both = { url: 'https://example.com', service: { name: 'a', namespace: 'b' } }
  for (const config of [{}, both]) {
    expect(texts(config)).toEqual(['at: Required value: exactly one of url or service is required'])
  }
})

it.each([
  ['http://example.com', `Invalid value: "http": 'https' is the only allowed URL scheme; ${FORM}`],
  ['https://u:p@example.com', 'Invalid value: "u:p": user information is not permitted in the URL'],
  ['https://example.com#f?x', 'Invalid value: "f?x": fragments are not permitted in the URL'],
  ['https://example.com/?x=y', 'Invalid value: "x=y": query parameters are not permitted in the URL'],
  ['https://exa mple.com', `Required value: url must be a valid URL; ${FORM}`],
  [':foo', `Required value: url must be a valid URL; ${FORM}`],
])('refuses the URL %j', (url, message) => {
  expect(texts({ url })).toEqual([`at.url: ${message}`])
})

it('refuses a service without names, with a port out of range and with a path of other than DNS names', () => {
  expect(texts({ service: {} })).toEqual([
    'at.service.name: Required value',
    'at.service.namespace: Required value',
  ])
  const service = { name: 'a', namespace: 'b' }
  expect(texts({ service: { ...service, port: 70000, path: '//' } })).toEqual([
    'at.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive',
    'at.service.path: Invalid value: "//": segment[0] may not be empty',
  ])
  const [start, empty, , bad] = texts({ service: { ...service, path: 'x//C_d/' } })
  expect(start).toBe(`at.service.path: Invalid value: "x//C_d/": must start with a '/'`)
  expect(empty).toBe('at.service.path: Invalid value: "x//C_d/": segment[0] may not be empty')
  expect(bad).toContain('segment[2]: a lowercase RFC 1123 subdomain')
})

it('accepts a bundle with a certificate, and says what is wrong with another', async () => {
  const { certificate } = await certificateAuthority()
  const why = (text: string): string => at(base64(text)).collect(validateCaBundle)[0]?.message ?? ''
  expect(why(certificate)).toBe('')
  expect(why(`\n# ours\n${certificate}\n`)).toBe('')
  expect(why('foo')).toBe(
    'Invalid value: "Zm9v": unable to load root certificates: unable to parse bytes as PEM block',
  )
  expect(why('-----BEGIN KEY-----\nZm9v\n-----END KEY-----\n')).toContain(
    ': no valid certificate authority data seen',
  )
  expect(why('-----BEGIN CERTIFICATE-----\nZm9v\n-----END CERTIFICATE-----\n')).toContain(
    ': failed to parse certificate: x509: malformed certificate',
  )
})
