import { quoted } from '../../../kubernetes/index.ts'
import { internalError } from '../../apimachinery/errors/factories.ts'
import { messageOf } from '../../apimachinery/errors/message.ts'
import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { nestingOf } from '../../apimachinery/json/nesting.ts'
import { jsonOrThrow } from '../../apimachinery/json/sent-json.ts'
import { isObject, objectAt, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { applyJsonPatch, JsonPatchError } from '../../apiserver/patch/json-patch.ts'
import { goValueName } from '../../apiserver/schema/go-types.ts'
import type { AdmissionResponse } from './response.ts'

/** Deepest nesting of a patch, which is that of clients' bodies. */
const DEEPEST = 500

/** Returns the operations of a webhook's patch; none without one. Throws Errors with upstream's text. */
export function operationsOf({ patch }: Pick<AdmissionResponse, 'patch'>): readonly JsonValue[] {
  if (patch === '') return []
  try {
    return readOperations(Buffer.from(patch, 'base64').toString())
  } catch (error) {
    throw new Error(`received undecodable patch in webhook response: ${messageOf(error)}`, { cause: error })
  }
}

function readOperations(text: string): readonly JsonValue[] {
  if (nestingOf(text) > DEEPEST) throw new Error(`exceeded max depth ${DEEPEST}`)
  const operations = jsonOrThrow(text, (why) => new Error(why)) ?? []
  if (!Array.isArray(operations)) throw mistyped(operations, 'Patch')
  for (const operation of operations) {
    if (operation !== null && !isObject(operation)) throw mistyped(operation, 'Operation')
  }
  return operations
}

const mistyped = (value: JsonValue, type: string): Error =>
  new Error(`json: cannot unmarshal ${goValueName(value)} into Go value of type jsonpatch.${type}`)

/**
 * Returns the object after the operations. Like upstream's it may lose its metadata, and with that its name.
 * @throws ApiError 500 if one cannot be applied, or if they make another kind of the object
 */
export function patchedObject(object: KubeObject, operations: readonly JsonValue[]): KubeObject {
  return objectIn(applied(object, operations), object)
}

/**
 * Returns the result of a patch as an object of its kind.
 * @throws ApiError 500 if it is of another kind
 */
export function objectIn(patched: JsonObject, object: KubeObject): KubeObject {
  const metadata = patched.metadata ?? {}
  if (!isObject(metadata)) {
    throw internalError(
      `json: cannot unmarshal ${goValueName(metadata)} into Go struct field ${object.kind}.metadata of type v1.ObjectMeta`,
    )
  }
  checkKind(patched, object)
  return { ...patched, apiVersion: object.apiVersion, kind: object.kind, metadata } as KubeObject
}

function applied(object: KubeObject, operations: readonly JsonValue[]): JsonObject {
  try {
    return objectAt({ patched: applyJsonPatch(object, operations) }, 'patched')
  } catch (error) {
    if (error instanceof JsonPatchError) throw internalError(error.message)
    throw error
  }
}

/** Checks the kind and the API version. Either may be left out, but must not be another one. */
function checkKind(patched: JsonObject, { apiVersion = '', kind = '' }: KubeObject): void {
  const given = {
    apiVersion: stringAt(patched, 'apiVersion') || apiVersion,
    kind: stringAt(patched, 'kind') || kind,
  }
  if (given.apiVersion === apiVersion && given.kind === kind) return
  throw internalError(
    `no kind ${quoted(given.kind)} is registered for version ${quoted(given.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
  )
}
