import { quoted } from '../../../kubernetes/index.ts'
import {
  isObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  stringAt,
  stringsAt,
} from '../../apimachinery/json/index.ts'
import { stringMap } from '../../apimachinery/objects.ts'
import { canonical } from '../../apiserver/schema/index.ts'
import { answeredReview, checkSaysWhatItIs, type ReviewKind } from '../webhook-client/index.ts'
import type { ReviewVersion } from './review.ts'

/** What a webhook has answered, checked. */
export interface AdmissionResponse {
  readonly allowed: boolean
  /** Of a denial: a meta/v1 Status. */
  readonly status: JsonObject
  /** In base64; empty where nothing is to be changed. */
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
 * The AdmissionReview in an answer, with the fields that it has. Throws with encoding/json's text where one
 * is of another type, and where it is none.
 */
export function decodedReview(answer: JsonValue, version: ReviewVersion): JsonObject {
  return canonical(answeredReview(answer, reviewKind(version)), 'admission.AdmissionReview')
}

/**
 * What the review says, once it has proved to be an answer to what was asked. Throws with upstream's text
 * where it does not count.
 */
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

function checkUid(told: string, expected: string): void {
  if (told === expected) return
  throw new Error(`expected response.uid=${quoted(expected)}, got ${quoted(told)}`)
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
