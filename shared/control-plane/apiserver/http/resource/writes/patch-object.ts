import { quoted } from '../../../../../kubernetes/index.ts'
import { badRequest, invalid } from '../../../../apimachinery/errors/factories.ts'
import { invalidValue } from '../../../../apimachinery/errors/field.ts'
import { ApiError } from '../../../../apimachinery/errors/status.ts'
import { type JsonObject, type JsonValue, jsonText } from '../../../../apimachinery/json/exact-numbers.ts'
import { jsonOrThrow } from '../../../../apimachinery/json/sent-json.ts'
import { isObject, objectAt, sortedMembers, stringAt } from '../../../../apimachinery/json/values.ts'
import type { KubeObject } from '../../../../apimachinery/objects.ts'
import { jsonPatch } from '../../../patch/json-patch.ts'
import { mergePatch } from '../../../patch/merge-patch.ts'
import { strategicMergePatch } from '../../../patch/strategic-merge-patch.ts'
import { decodeObject } from '../../../registry/decode.ts'
import { apiVersionOf } from '../../../registry/definition/names.ts'
import type { ResourceDefinition } from '../../../registry/definition/resource-definition.ts'
import { conversionError } from '../../../schema/conversion-error.ts'
import { DecodeError } from '../../../schema/decode.ts'
import { duplicateKeys } from '../../../schema/duplicate-keys.ts'
import { goFormat } from '../../../schema/go-format.ts'
import { goValueName } from '../../../schema/go-types.ts'
import { fieldIssues, otherKind, type Submission } from '../../body/decode-submitted.ts'
import type { FieldValidation } from '../write-options.ts'
import { isApply } from './apply-object.ts'

interface PatchBody {
  readonly text: string
  readonly contentType: string
  readonly validation: FieldValidation
  readonly warnings: string[]
  readonly isKnownKind: Submission['isKnownKind']
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

/** Returns the stored object with the patch applied. The content type has passed `checkPatchType`. */
export function patchObject(
  definition: ResourceDefinition,
  stored: KubeObject,
  patch: PatchBody,
): KubeObject {
  const { object, shown, whyNot } = applyPatch(definition, stored, patch)
  checkKindKept(definition, object, shown, patch)
  const issues = patch.validation === 'Ignore' ? [] : patchIssues(definition, object, patch)
  if (issues.length > 0 && patch.validation === 'Strict') {
    throw unfit(shown(), `strict decoding error: ${issues.join(', ')}`)
  }
  patch.warnings.push(...issues)
  try {
    return decodeObject(definition, object)
  } catch (error) {
    if (error instanceof DecodeError) throw unfit(shown(), whyNot() ?? error.message)
    throw error
  }
}

/** Checks that a JSON patch does not change the object's kind. That of a strategic patch does not count. */
function checkKindKept(
  definition: ResourceDefinition,
  object: JsonObject,
  shown: () => string,
  patch: PatchBody,
): void {
  if (typeOf(patch) === 'application/strategic-merge-patch+json') return
  if (definition.codec) {
    checkOwnKindKept(definition, object)
    return
  }
  const why = otherKind(definition, object, patch.isKnownKind)
  if (why !== undefined) throw unfit(shown(), why)
}

function checkOwnKindKept(definition: ResourceDefinition, object: JsonObject): void {
  const [kind, apiVersion] = [stringAt(object, 'kind'), stringAt(object, 'apiVersion')]
  const wanted = apiVersionOf(definition)
  const errors = [
    ...(kind === definition.kind ? [] : [invalidValue('kind', kind, `must be ${definition.kind}`)]),
    ...(apiVersion === wanted ? [] : [invalidValue('apiVersion', apiVersion, `must be ${wanted}`)]),
  ]
  const name = stringAt(objectAt(object, 'metadata'), 'name')
  if (errors.length > 0) throw invalid({ group: definition.group, kind }, name, errors)
}

interface Patched {
  readonly object: JsonObject
  /** Returns the value that a refusal shows as invalid. */
  shown(): string
  /** Returns why the object is not of its type, if a decoder other than encoding/json says so. */
  whyNot(): string | undefined
}

const typeOf = ({ contentType }: PatchBody): string | undefined => contentType.split(';')[0]?.trim()

function applyPatch(definition: ResourceDefinition, stored: KubeObject, patch: PatchBody): Patched {
  const fail = (why: string) => badRequest(`error decoding patch: ${why}`)
  switch (typeOf(patch)) {
    case 'application/json-patch+json':
      return asDocument(definition, objectOr(jsonPatch(stored, jsonOrThrow(patch.text, fail))))
    case 'application/merge-patch+json':
      return asDocument(
        definition,
        objectOr(mergePatch(stored, asPatch(jsonOrThrow(patch.text, fail), fail))),
      )
    default: {
      const schema = definition.schema ?? ''
      const changes = asPatch(jsonOrThrow(patch.text, badRequest), badRequest)
      const object = strategicMergePatch(stored, changes, schema)
      return { object, shown: () => goFormat(changes), whyNot: () => conversionError(object, schema) }
    }
  }
}

/** Shows the whole object, with sorted members at the top, and below it except in Go structs. */
function asDocument({ codec }: ResourceDefinition, object: JsonObject): Patched {
  const shown = (): string => {
    if (codec) return jsonText(sortedMembers(object))
    const members = Object.keys(object).sort()
    return jsonText(Object.fromEntries(members.map((member) => [member, object[member]])))
  }
  return { object, shown, whyNot: () => undefined }
}

/** Returns unknown fields of the patched object, and members that are there twice in the patch. */
function patchIssues(definition: ResourceDefinition, object: JsonObject, patch: PatchBody): string[] {
  const inPatch = typeOf(patch) === 'application/json-patch+json' ? 'json patch ' : ''
  const duplicates = duplicateKeys(patch.text)
  return [
    ...duplicates.map((path) => `${inPatch}duplicate field ${quoted(path)}`),
    ...fieldIssues(definition, object, undefined),
  ]
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

function asPatch(value: JsonValue, fail: (why: string) => ApiError): JsonObject {
  if (isObject(value)) return value
  throw fail(`json: cannot unmarshal ${goValueName(value)} into Go value of type map[string]interface {}`)
}

function objectOr(value: JsonValue): JsonObject {
  return isObject(value) ? value : {}
}

function unfit(shown: string, why: string): ApiError {
  return invalid({ group: '', kind: '' }, '', [invalidValue('patch', shown, why)])
}
