import type { JsonObject, JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject, ownMember } from '../../../apimachinery/json/values.ts'

/** One of several messages that a value may be, by its number in the message around it. */
interface Choice {
  readonly number: number
  readonly type: string
}

const REFERENCE: Choice = { number: 2, type: 'JsonReference' }
const PLACES: Readonly<Record<string, Choice>> = {
  header: { number: 1, type: 'HeaderParameterSubSchema' },
  formData: { number: 2, type: 'FormDataParameterSubSchema' },
  query: { number: 3, type: 'QueryParameterSubSchema' },
  path: { number: 4, type: 'PathParameterSubSchema' },
}
const FLOWS: Readonly<Record<string, Choice>> = {
  implicit: { number: 3, type: 'Oauth2ImplicitSecurity' },
  password: { number: 4, type: 'Oauth2PasswordSecurity' },
  application: { number: 5, type: 'Oauth2ApplicationSecurity' },
  accessCode: { number: 6, type: 'Oauth2AccessCodeSecurity' },
}

/** gnostic's messages that hold one of several, and which one a value is; undefined for none of them. */
export const CHOICES: Readonly<Record<string, (value: JsonValue) => Choice | undefined>> = {
  ParametersItem: (value) => (isReference(value) ? REFERENCE : { number: 1, type: 'Parameter' }),
  Parameter: (value) =>
    memberOf(value, 'in') === 'body'
      ? { number: 1, type: 'BodyParameter' }
      : { number: 2, type: 'NonBodyParameter' },
  NonBodyParameter: (value) => ownMember(PLACES, memberOf(value, 'in')),
  ResponseValue: (value) => (isReference(value) ? REFERENCE : { number: 1, type: 'Response' }),
  SchemaItem: (value) =>
    memberOf(value, 'type') === 'file' ? { number: 2, type: 'FileSchema' } : { number: 1, type: 'Schema' },
  AdditionalPropertiesItem: (value) =>
    typeof value === 'boolean' ? { number: 2, type: 'bool' } : { number: 1, type: 'Schema' },
  SecurityDefinitionsItem: (value) => {
    if (memberOf(value, 'type') === 'basic') return { number: 1, type: 'BasicAuthenticationSecurity' }
    if (memberOf(value, 'type') === 'apiKey') return { number: 2, type: 'ApiKeySecurity' }
    return ownMember(FLOWS, memberOf(value, 'flow'))
  },
}

const isReference = (value: JsonValue): boolean => isObject(value) && typeof value.$ref === 'string'

function memberOf(value: JsonValue, name: string): string {
  const member = isObject(value) ? (value as JsonObject)[name] : undefined
  return typeof member === 'string' ? member : ''
}
