import { badRequest } from '../../../apimachinery/errors/factories.ts'
import { messageOf } from '../../../apimachinery/errors/message.ts'
import { ApiError } from '../../../apimachinery/errors/status.ts'
import type { JsonObject, JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { syntaxOrThrow } from '../../../apimachinery/json/sent-json.ts'
import { isObject } from '../../../apimachinery/json/values.ts'
import { goValueName } from '../../schema/go-types.ts'
import { readYaml, type YamlText } from './read-yaml.ts'

const ACCEPTED = 'application/json, application/yaml, application/vnd.kubernetes.protobuf'
const HEADER =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

/** So much of a body is shown in errors. */
const SHOWN_BYTES = 30
const OPENING_BRACE = 0x7b

/** A body that cannot be read as an object. The message is the one of the real server, without the body. */
export class BodyError extends Error {
  override readonly name = 'BodyError'
}

export interface ParsedBody {
  readonly value: JsonObject
  /** The JSON text, where the body was JSON: duplicate members are found in it. */
  readonly json: string | undefined
  /** Members that stand twice in YAML, a line for each. */
  readonly duplicates: readonly string[]
}

/** Reads a body. Throws a 415 for an unknown content type, and BodyError for a text that cannot be read. */
export function parseBody(text: string, contentType: string): ParsedBody {
  const type = contentType.split(';')[0]?.trim() ?? ''
  if (type === '' || type === 'application/json') {
    return { value: asObject(bodyJson(text)), json: text, duplicates: [] }
  }
  if (type === 'application/yaml') return fromYaml(text)
  throw new ApiError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${ACCEPTED}`,
  )
}

function fromYaml(text: string): ParsedBody {
  const { value, duplicates } = yamlOrThrow(text)
  return { value: asObject(value), json: undefined, duplicates }
}

function yamlOrThrow(text: string): YamlText {
  try {
    return readYaml(text)
  } catch (error) {
    throw new BodyError(messageOf(error))
  }
}

function asObject(value: JsonValue): JsonObject {
  // Go takes it for a struct that says nothing.
  if (value === null) return {}
  if (isObject(value)) {
    checkTypeMeta(value)
    return value
  }
  throw new BodyError(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${goValueName(value)} into Go value of type ${HEADER}`,
  )
}

/** Checks that kind and apiVersion are texts, before anything else. */
function checkTypeMeta(value: JsonObject): void {
  for (const [member, given] of Object.entries(value)) {
    if ((member !== 'kind' && member !== 'apiVersion') || given === null || typeof given === 'string')
      continue
    throw new BodyError(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goValueName(given)} into Go struct field .${member} of type string`,
    )
  }
  const { apiVersion } = value
  if (typeof apiVersion === 'string' && apiVersion.split('/').length > 2) {
    throw new BodyError(`unexpected GroupVersion string: ${apiVersion}`)
  }
}

const bodyJson = (text: string): JsonValue =>
  syntaxOrThrow(text, (why) => new BodyError(`couldn't get version/kind; json parse error: ${why}`))

/**
 * Makes the 400 for a body that is no object of the kind. It says why, and how the body begins, in
 * hexadecimal digits if it is no JSON object.
 */
export function unrecognized(kind: string, why: string, body: Buffer): ApiError {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${why} (${beginningOf(body)})`,
  )
}

function beginningOf(body: Buffer): string {
  if (body.length === 0) return '<empty>'
  const shown = body.subarray(0, SHOWN_BYTES).toString(body[0] === OPENING_BRACE ? 'utf8' : 'hex')
  return body.length > SHOWN_BYTES ? `${shown} ...` : shown
}
