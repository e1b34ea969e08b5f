import { ApiError, badRequest, invalid, invalidValue } from '../errors/index.ts'
import { isObject, type JsonObject, type JsonValue } from '../json.ts'
import type { KubeObject } from '../objects.ts'
import { jsonPatch, mergePatch, strategicMergePatch } from '../patch/index.ts'
import { decodeObject, type ResourceDefinition } from '../registry/index.ts'
import { DecodeError, goValueName } from '../schema/index.ts'
import { isApply } from './apply-object.ts'
import { fieldIssues } from './decode-submitted.ts'
import { jsonOrThrow } from './parse-body.ts'
import type { FieldValidation } from './write-options.ts'

export interface PatchBody {
  readonly text: string
  readonly contentType: string
  readonly validation: FieldValidation
  readonly warnings: string[]
}

/** Throws a 415 for a content type that is no patch the resource takes. */
export function checkPatchType(definition: ResourceDefinition, contentType: string): void {
  const type = contentType.split(';')[0]?.trim()
  const known =
    isApply(contentType) ||
    type === 'application/json-patch+json' ||
    type === 'application/merge-patch+json' ||
    (type === 'application/strategic-merge-patch+json' && definition.schema !== undefined)
  if (known) return
  throw definition.codec ? unknownFormat() : unsupported()
}

/** The stored object with the patch laid over it. The content type has passed `checkPatchType`. */
export function patchObject(
  definition: ResourceDefinition,
  stored: KubeObject,
  patch: PatchBody,
): KubeObject {
  const patched = applyPatch(definition, stored, patch)
  const issues = patch.validation === 'Ignore' ? [] : fieldIssues(definition, patched, undefined)
  if (issues.length > 0 && patch.validation === 'Strict') {
    throw unfit(patched, `strict decoding error: ${issues.join(', ')}`)
  }
  patch.warnings.push(...issues)
  try {
    return decodeObject(definition, patched)
  } catch (error) {
    if (error instanceof DecodeError) throw unfit(patched, error.message)
    throw error
  }
}

function applyPatch(definition: ResourceDefinition, stored: KubeObject, patch: PatchBody): JsonObject {
  const fail = (why: string) => badRequest(`error decoding patch: ${why}`)
  switch (patch.contentType.split(';')[0]?.trim()) {
    case 'application/json-patch+json':
      return objectOr(jsonPatch(stored, jsonOrThrow(patch.text, fail)))
    case 'application/merge-patch+json':
      return objectOr(mergePatch(stored, asPatch(jsonOrThrow(patch.text, fail))))
    default:
      return strategicMergePatch(stored, asPatch(jsonOrThrow(patch.text, fail)), definition.schema ?? '')
  }
}

function unsupported(): ApiError {
  return new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {})
}

function unknownFormat(): ApiError {
  const types = ['json-patch+json', 'merge-patch+json', 'apply-patch+yaml'].map(
    (type) => `application/${type}`,
  )
  const text = `the body of the request was in an unknown format - accepted media types include: ${types.join(', ')}`
  return new ApiError(415, 'UnsupportedMediaType', text)
}

function asPatch(value: JsonValue): JsonObject {
  if (isObject(value)) return value
  throw badRequest(
    `error decoding patch: json: cannot unmarshal ${goValueName(value)} into Go value of type map[string]interface {}`,
  )
}

function objectOr(value: JsonValue): JsonObject {
  return isObject(value) ? value : {}
}

/** 422 with the whole patched object, its members at the top sorted, as the real server shows it. */
function unfit(patched: JsonObject, why: string): ApiError {
  const sorted = Object.fromEntries(
    Object.keys(patched)
      .sort()
      .map((member) => [member, patched[member]]),
  )
  return invalid({ group: '', kind: '' }, '', [invalidValue('patch', JSON.stringify(sorted), why)])
}
