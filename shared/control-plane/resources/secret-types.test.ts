import { expect, it } from 'vitest'
import { errorsBy } from '../apimachinery/validation/field.ts'
import { validateSecret } from './secrets.ts'

const errorsOf = errorsBy(validateSecret)

const secret = (type: string, data: Record<string, string>, annotations = {}) => ({
  metadata: { name: 'a', annotations },
  type,
  data: Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  ),
})

const fieldsOf = (...args: Parameters<typeof secret>): string[] =>
  errorsOf(secret(...args)).map(({ field }) => field)

it('asks for the keys that a type has', () => {
  expect(fieldsOf('kubernetes.io/tls', { 'tls.crt': '' })).toEqual(['data[tls.key]'])
  expect(fieldsOf('kubernetes.io/ssh-auth', { 'ssh-privatekey': '' })).toEqual(['data[ssh-privatekey]'])
  expect(fieldsOf('kubernetes.io/basic-auth', {})).toEqual(['data[username]', 'data[password]'])
  expect(fieldsOf('kubernetes.io/basic-auth', { password: 'p' })).toEqual([])
})

it('asks for JSON in the configuration of a registry, and does not show what is there', () => {
  const [error] = errorsOf(secret('kubernetes.io/dockerconfigjson', { '.dockerconfigjson': 'secret' }))
  expect(error).toMatchObject({ field: 'data[.dockerconfigjson]' })
  expect(JSON.stringify(error)).toContain('<secret contents redacted>')
  expect(fieldsOf('kubernetes.io/dockercfg', { '.dockercfg': '{}' })).toEqual([])
  expect(fieldsOf('kubernetes.io/dockercfg', { '.dockercfg': '[]' })).toEqual(['data[.dockercfg]'])
})

it('asks for the account of a token, and nothing of types that it does not know', () => {
  const type = 'kubernetes.io/service-account-token'
  const name = 'kubernetes.io/service-account.name'
  expect(fieldsOf(type, {})).toEqual([`metadata.annotations[${name}]`])
  expect(fieldsOf(type, {}, { [name]: 'robot' })).toEqual([])
  expect(fieldsOf('example.com/mine', {})).toEqual([])
  expect(fieldsOf('constructor', {})).toEqual([])
})
