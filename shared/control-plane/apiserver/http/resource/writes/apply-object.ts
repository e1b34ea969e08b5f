import { badRequest, internal } from '../../../../apimachinery/errors/factories.ts'
import { messageOf } from '../../../../apimachinery/errors/message.ts'
import {
  type JsonObject,
  type JsonValue,
  overflowError,
  parseJson,
} from '../../../../apimachinery/json/exact-numbers.ts'
import { isObject } from '../../../../apimachinery/json/values.ts'
import type { KubeObject } from '../../../../apimachinery/objects.ts'
import { serverSideApply } from '../../../managed-fields/server-side-apply.ts'
import { decodeObject } from '../../../registry/decode.ts'
import type { ResourceDefinition, WriteEndpoint } from '../../../registry/definition/resource-definition.ts'
import type { WriteContext } from '../../../registry/definition/write-context.ts'
import { trackingOf } from '../../../registry/writes/track-write.ts'
import { DecodeError } from '../../../schema/decode.ts'
import { duplicateKeys } from '../../../schema/duplicate-keys.ts'
import { goValueName } from '../../../schema/go-types.ts'
import { readYaml } from '../../body/read-yaml.ts'
import type { WriteOptions } from '../write-options.ts'

interface ApplyBody {
  readonly text: string
  readonly options: Pick<WriteOptions, 'force' | 'fieldValidation'>
  readonly subresource?: string
  /** Converts the object itself to another of its versions. */
  readonly convert?: WriteEndpoint['convert']
}

/** Reports whether a content type is that of a server-side apply. */
export function isApply(contentType: string): boolean {
  return contentType.split(';')[0]?.trim() === 'application/apply-patch+yaml'
}

/** Returns the object after a server-side apply of the body; `stored` undefined: the apply creates it. */
export function applyObject(
  definition: ResourceDefinition,
  stored: KubeObject | undefined,
  { text, options, subresource, convert }: ApplyBody,
  context: WriteContext,
): KubeObject {
  const configuration = readConfiguration(text)
  const applied = serverSideApply(stored, configuration, {
    ...trackingOf(definition, context, { subresource, convert }),
    kind: definition.kind,
    force: options.force,
  })
  if (options.fieldValidation !== 'Ignore') checkDuplicates(text, options, context.warnings)
  return decoded(definition, applied)
}

function decoded(definition: ResourceDefinition, applied: JsonObject): KubeObject {
  try {
    return definition.codec?.decodeApplied?.(applied) ?? decodeObject(definition, applied)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw internal(`failed to convert new typed object (${definition.kind}) to object: ${error.message}`)
  }
}

/** Checks repeated members. The last value counts; the client is warned, or refused if it asks for that. */
function checkDuplicates(
  text: string,
  { fieldValidation }: Pick<WriteOptions, 'fieldValidation'>,
  warnings: string[],
): void {
  const lines = duplicateLines(text)
  if (lines.length === 0) return
  const why = `error converting YAML to JSON: yaml: unmarshal errors:\n${lines.join('\n')}`
  if (fieldValidation === 'Strict') throw badRequest(`error strict decoding YAML: ${why}`)
  warnings.push(why.replaceAll('\n', '\\n'))
}

function duplicateLines(text: string): string[] {
  if (isJson(text) && duplicateKeys(text).length === 0) return []
  return readYaml(text).duplicates.map((line) => `  ${line}`)
}

function isJson(text: string): boolean {
  return text.trimStart().startsWith('{')
}

function readConfiguration(text: string): JsonObject {
  const value = parse(text)
  if (isObject(value)) return value
  if (value === null) return {}
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goValueName(value)} into Go value of type map[string]interface {}`,
  )
}

/** Parses YAML. JSON is YAML too, and is read faster as JSON. Only a malformed number is a text in YAML. */
function parse(text: string): JsonValue {
  try {
    const value = parseJson(text)
    if (overflowError(text) === undefined) return value
  } catch {
    // YAML, or nothing at all: it says why.
  }
  return parseAsYaml(text)
}

function parseAsYaml(text: string): JsonValue {
  try {
    return readYaml(text).value
  } catch (error) {
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${messageOf(error)}`)
  }
}
