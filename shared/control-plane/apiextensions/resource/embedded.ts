import type { FieldError } from '../../apimachinery/errors/field.ts'
import { type JsonObject, type JsonValue, jsonText } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, ownMember, stringAt } from '../../apimachinery/json/values.ts'
import { Field } from '../../apimachinery/validation/field.ts'
import { metadataErrors } from '../../apimachinery/validation/metadata.ts'
import { dns1035Label, pathSegmentName } from '../../apimachinery/validation/names.ts'
import { canonical, DecodeError } from '../../apiserver/schema/decode.ts'
import { goValueName } from '../../apiserver/schema/go-types.ts'
import { unknownFields } from '../../apiserver/schema/unknown-fields.ts'
import { memberSchema, type Schema } from '../structural/schema.ts'

const METADATA = 'meta.ObjectMeta'

/** An object inside of a custom resource (`x-kubernetes-embedded-resource`). */
interface Embedded {
  readonly value: JsonObject
  /** Path such as `spec.templates[0]`. */
  readonly path: string
}

/** Returns what replaces an object below the root; undefined leaves it. */
type Replace = (embedded: Embedded) => JsonObject | undefined

/**
 * Returns the object with the metadata of embedded objects as Go reads metadata: without unknown fields.
 * Throws DecodeError if such an object, or its metadata, has members of other types.
 */
export function withEmbeddedMetadata(object: JsonObject, schema: Schema): JsonObject {
  return membersReplaced(object, schema, '', ({ value, path }) => {
    for (const member of ['apiVersion', 'kind']) {
      const text = ownMember(value, member)
      if (text === undefined || typeof text === 'string') continue
      throw new DecodeError(`${path}.${member}: Invalid value: ${jsonText(text)}: must be a string`)
    }
    const metadata = ownMember(value, 'metadata')
    return metadata === undefined
      ? undefined
      : { ...value, metadata: readMetadata(metadata, `${path}.metadata`) }
  })
}

function readMetadata(metadata: JsonValue, path: string): JsonObject {
  const fail = (why: string): DecodeError =>
    new DecodeError(`${path}: Invalid value: ${jsonText(metadata)}: ${why}`)
  if (!isObject(metadata)) {
    throw fail(`json: cannot unmarshal ${goValueName(metadata)} into Go value of type v1.ObjectMeta`)
  }
  try {
    return canonical(metadata, METADATA)
  } catch (error) {
    throw error instanceof DecodeError ? fail(error.message) : error
  }
}

/** Returns the paths of fields that the metadata of embedded objects do not have. */
export function unknownEmbeddedFields(object: JsonObject, schema: Schema): string[] {
  const found: string[] = []
  membersReplaced(object, schema, '', ({ value, path }) => {
    const unknown = unknownFields(objectAt(value, 'metadata'), METADATA)
    found.push(...unknown.map((field) => `${path}.metadata.${field}`))
    return undefined
  })
  return found
}

/** Validates embedded objects, which must have a version, a kind, and valid metadata. */
export function embeddedErrors(object: JsonObject, schema: Schema): FieldError[] {
  const errors: FieldError[] = []
  membersReplaced(object, schema, '', ({ value, path }) => {
    const embedded = new Field(value, path, errors)
    validateText(embedded.child('apiVersion'), versionProblem)
    validateText(embedded.child('kind'), kindProblem)
    if (isObject(value.metadata)) errors.push(...metadataErrorsOf(value.metadata, path))
    return undefined
  })
  return errors
}

function metadataErrorsOf(metadata: JsonObject, path: string): FieldError[] {
  // A name is needed to validate the rest.
  const named = { metadata: { ...metadata, name: stringAt(metadata, 'name') || 'fakename' } }
  const namespaced = stringAt(metadata, 'namespace') !== ''
  return metadataErrors(named, namespaced, pathSegmentName, 'any').map((error) => ({
    ...error,
    field: `${path}.${error.field}`,
  }))
}

function validateText(field: Field, problemOf: (text: string) => string | undefined): void {
  const { value } = field
  if (value === undefined) field.required()
  else if (typeof value !== 'string') field.invalid('must be a string')
  else {
    const problem = value === '' ? 'must not be empty' : problemOf(value)
    if (problem !== undefined) field.invalid(problem)
  }
}

const versionProblem = (text: string): string | undefined =>
  text.split('/').length > 2 ? `unexpected GroupVersion string: ${text}` : undefined

function kindProblem(text: string): string | undefined {
  const problems = dns1035Label(text.toLowerCase())
  return problems.length > 0
    ? `may have mixed case, but should otherwise match: ${problems.join(',')}`
    : undefined
}

function replaced(value: JsonValue, schema: Schema | undefined, path: string, replace: Replace): JsonValue {
  if (!schema) return value
  if (Array.isArray(value)) {
    return value.map((item, index) => replaced(item, schema.items, `${path}[${index}]`, replace))
  }
  if (!isObject(value)) return value
  const own = schema.embedded ? (replace({ value, path }) ?? value) : value
  return membersReplaced(own, schema, path, replace)
}

function membersReplaced(value: JsonObject, schema: Schema, path: string, replace: Replace): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      item === undefined
        ? item
        : replaced(item, memberSchema(schema, name), memberPath(schema, name, path), replace),
    ]),
  )
}

/** Returns the path of a map's member by its key, such as `spec.templates[a]`. */
function memberPath(schema: Schema, name: string, path: string): string {
  if (!schema.properties.has(name) && schema.additional !== undefined) return `${path}[${name}]`
  return path === '' ? name : `${path}.${name}`
}
