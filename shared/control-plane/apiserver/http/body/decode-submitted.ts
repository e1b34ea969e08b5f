import { quoted } from '../../../../kubernetes/index.ts'
import { badRequest, invalid } from '../../../apimachinery/errors/factories.ts'
import { invalidValue } from '../../../apimachinery/errors/field.ts'
import { type JsonObject, overflowError } from '../../../apimachinery/json/exact-numbers.ts'
import { objectAt, stringAt } from '../../../apimachinery/json/values.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import { type DecodedKind, decodeObject } from '../../registry/decode.ts'
import { apiVersionOf } from '../../registry/definition/names.ts'
import { DecodeError } from '../../schema/decode.ts'
import { duplicateKeys, memberPaths } from '../../schema/duplicate-keys.ts'
import { unknownFields } from '../../schema/unknown-fields.ts'
import type { FieldValidation } from '../resource/write-options.ts'
import { BodyError, type ParsedBody, parseBody, unrecognized } from './parse-body.ts'

export interface Submission {
  readonly text: string
  readonly contentType: string
  readonly validation: FieldValidation
  readonly warnings: string[]
  /** Kinds that the server knows, as `apps/v1 Deployment`. */
  readonly isKnownKind: (apiVersion: string, kind: string) => boolean
}

/** Reads the body of a create or update; refuses or warns of unknown and duplicate fields, as asked. */
export function decodeSubmitted(expected: DecodedKind, submission: Submission): KubeObject {
  const { value, json, duplicates } = parsed(expected, submission)
  if (expected.codec) checkOwnKind(expected, value, submission.text)
  else checkKind(expected, value, submission)
  // A decoding error is reported without the others.
  const overflow = json === undefined ? undefined : overflowError(json)
  if (overflow !== undefined) throw badRequest(`${subject(expected, value)}: ${overflow}`)
  const object = decoded(expected, value)
  const issues = submission.validation === 'Ignore' ? [] : fieldIssues(expected, value, json)
  const twice = submission.validation === 'Ignore' ? [] : duplicates
  if (issues.length + twice.length > 0 && submission.validation === 'Strict') {
    const lines = twice.length > 0 ? [['yaml: unmarshal errors:', ...twice].join('\n  ')] : []
    throw badRequest(
      `${subject(expected, value)}: strict decoding error: ${[...lines, ...issues].join(', ')}`,
    )
  }
  submission.warnings.push(...twice, ...issues)
  return object
}

function decoded(expected: DecodedKind, value: JsonObject): KubeObject {
  try {
    return decodeObject(expected, value)
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(`${subject(expected, value)}: ${error.message}`)
    throw error
  }
}

function parsed(expected: DecodedKind, { text, contentType }: Submission): ParsedBody {
  try {
    return parseBody(text, contentType)
  } catch (error) {
    if (error instanceof BodyError) throw unrecognized(expected.kind, error.message, Buffer.from(text))
    throw error
  }
}

/**
 * Returns unknown fields and members that are there twice, as texts. For custom resources the latter come
 * first, and otherwise they are in the order of the body.
 */
export function fieldIssues(expected: DecodedKind, value: JsonObject, json: string | undefined): string[] {
  const repeated = new Set(json === undefined ? [] : duplicateKeys(json))
  const unknown = new Set(unknownIn(expected, value))
  if (json !== undefined && !expected.codec && repeated.size > 0 && unknown.size > 0) {
    return inOrder(json, unknown, repeated)
  }
  return [...[...repeated].map(repeatedField), ...[...unknown].map(unknownField)]
}

const unknownField = (path: string): string => `unknown field ${quoted(path)}`
const repeatedField = (path: string): string => `duplicate field ${quoted(path)}`

/** Sorts the issues. A member that is there twice is left out if it is an unknown field, or within one. */
function inOrder(json: string, unknown: ReadonlySet<string>, repeated: ReadonlySet<string>): string[] {
  const warnings = new Set<string>()
  const seen = new Set<string>()
  let skipped: string | undefined
  for (const path of memberPaths(json)) {
    if (skipped !== undefined && (path.startsWith(`${skipped}.`) || path.startsWith(`${skipped}[`))) continue
    if (unknown.has(path)) {
      skipped = path
      warnings.add(unknownField(path))
    } else if (repeated.has(path)) {
      if (seen.has(path)) warnings.add(repeatedField(path))
      seen.add(path)
    }
  }
  return [...warnings]
}

function unknownIn({ codec, schema }: DecodedKind, value: JsonObject): string[] {
  if (codec) return codec.unknownFields(value)
  return schema ? unknownFields(value, schema) : []
}

function subject(expected: DecodedKind, value: JsonObject): string {
  const kind = stringAt(value, 'kind') || expected.kind
  const version = (stringAt(value, 'apiVersion') || expected.version).split('/').at(-1)
  return `${kind} in version ${quoted(version ?? '')} cannot be handled as a ${expected.kind}`
}

/** Checks the kind and apiVersion of a body. It may leave them out, but must not have wrong ones. */
function checkKind(expected: DecodedKind, value: JsonObject, { isKnownKind }: Submission): void {
  const why = otherKind(expected, value, isKnownKind)
  if (why !== undefined) throw badRequest(`${subject(expected, value)}: ${why}`)
}

/** Returns why an object is not of the kind; undefined if it is, or if it does not say. */
export function otherKind(
  expected: DecodedKind,
  value: JsonObject,
  isKnownKind: Submission['isKnownKind'],
): string | undefined {
  const kind = stringAt(value, 'kind') || expected.kind
  const apiVersion = stringAt(value, 'apiVersion') || apiVersionOf(expected)
  if (kind === expected.kind && apiVersion === apiVersionOf(expected)) return undefined
  return isKnownKind(apiVersion, kind)
    ? `converting (v1.${kind}) to (${internalPackage(expected.group)}.${expected.kind}): unknown conversion`
    : `no kind ${quoted(kind)} is registered for version ${quoted(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`
}

/** Checks that the body has a kind and apiVersion. Resources that are made at run time require both. */
function checkOwnKind(expected: DecodedKind, value: JsonObject, text: string): void {
  const { kind } = value
  if (typeof kind !== 'string' || kind === '') {
    throw unrecognized(expected.kind, `Object 'Kind' is missing in '${text}'`, Buffer.from(text))
  }
  const apiVersion = stringAt(value, 'apiVersion')
  if (apiVersion !== apiVersionOf(expected)) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(expected)})`,
    )
  }
  if (kind !== expected.kind) {
    const name = stringAt(objectAt(value, 'metadata'), 'name')
    throw invalid({ group: expected.group, kind }, name, [
      invalidValue('kind', kind, `must be ${expected.kind}`),
    ])
  }
}

function internalPackage(group: string): string {
  return group.split('.')[0] || 'core'
}
