import { quoted } from '../../../kubernetes/index.ts'
import { ApiError } from '../../apimachinery/errors/status.ts'
import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, numberAt, objectAt, stringAt, stringsAt } from '../../apimachinery/json/values.ts'
import { stringMap } from '../../apimachinery/objects.ts'
import { canonical } from '../../apiserver/schema/decode.ts'
import { answeredReview, checkSaysWhatItIs, type ReviewKind } from '../webhook-client/answered-review.ts'
import type { ReviewVersion } from './review.ts'

/** Answer of a webhook, checked. */
export interface AdmissionResponse {
  readonly allowed: boolean
  /** Status (meta/v1) of a denial. */
  readonly status: JsonObject
  /** Patch in base64; empty if nothing is to be changed. */
  readonly patch: string
  readonly patchType: string
  readonly warnings: readonly string[]
  readonly auditAnnotations: Readonly<Record<string, string>>
}

export interface Expected {
  readonly uid: string
  readonly version: ReviewVersion
  readonly mutating: boolean
}

const reviewKind = (version: ReviewVersion): ReviewKind => ({
  group: 'admission.k8s.io',
  version,
  kind: 'AdmissionReview',
})

/**
 * Returns the AdmissionReview in an answer, with its fields. Throws an Error with encoding/json's text if a
 * field has another type, or if the answer is no review.
 */
export function decodedReview(answer: JsonValue, version: ReviewVersion): JsonObject {
  return canonical(answeredReview(answer, reviewKind(version)), 'admission.AdmissionReview')
}

/** Returns a review's response if it answers this request. Throws an Error with upstream's text if not. */
export function checkedResponse(review: JsonObject, { uid, version, mutating }: Expected): AdmissionResponse {
  if (!isObject(review.response)) throw new Error('webhook response was absent')
  const { response } = review
  // Webhooks of v1beta1 may leave out what they answer to.
  if (version === 'v1') {
    checkUid(stringAt(response, 'uid'), uid)
    checkSaysWhatItIs(review, reviewKind(version))
    checkPatch(response, mutating)
  }
  return {
    allowed: response.allowed === true,
    status: objectAt(response, 'status'),
    patch: mutating ? stringAt(response, 'patch') : '',
    patchType: version === 'v1' ? stringAt(response, 'patchType') : 'JSONPatch',
    warnings: stringsAt(response, 'warnings'),
    auditAnnotations: stringMap(response.auditAnnotations),
  }
}

function checkUid(given: string, expected: string): void {
  if (given === expected) return
  throw new Error(`expected response.uid=${quoted(expected)}, got ${quoted(given)}`)
}

function checkPatch(response: JsonObject, mutating: boolean): void {
  const hasPatch = stringAt(response, 'patch') !== ''
  const { patchType } = response
  if (!mutating) {
    if (hasPatch) throw new Error('validating webhook may not return response.patch')
    if (patchType !== undefined) throw new Error('validating webhook may not return response.patchType')
    return
  }
  if (hasPatch && patchType === undefined) {
    throw new Error('webhook returned response.patch but not response.patchType')
  }
  if (!hasPatch && patchType !== undefined) {
    throw new Error('webhook returned response.patchType but not response.patch')
  }
  if (patchType === '') throw new Error('webhook returned invalid response.patchType of ""')
}

/** Makes the refusal of a request from a webhook's Status (meta/v1). */
export function denialOf(webhook: string, status: JsonObject): ApiError {
  const reason = stringAt(status, 'reason')
  const said = stringAt(status, 'message') || reason
  const subject = `admission webhook ${quoted(webhook)} denied the request`
  const message = said === '' ? `${subject} without explanation` : `${subject}: ${said}`
  const details = isObject(status.details) ? status.details : undefined
  return new ApiError(codeOf(status), reason || undefined, message, details)
}

/** Returns a code that can be sent and does not mean success. */
function codeOf(status: JsonObject): number {
  const code = numberAt(status, 'code') ?? 0
  if (code < 400) return 400
  return code > 999 ? 500 : code
}
