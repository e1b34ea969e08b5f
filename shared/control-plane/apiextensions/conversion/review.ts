import { quoted } from '../../../kubernetes/index.ts'
import { answeredReview, checkSaysWhatItIs } from '../../admission/webhook-client/answered-review.ts'
import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, listAt, objectAt, ownMember, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { goValueName } from '../../apiserver/schema/go-types.ts'
import { GROUP } from '../crd.ts'

const KIND = 'ConversionReview'

/** The versions of ConversionReview that webhooks may be sent. */
export type ReviewVersion = 'v1' | 'v1beta1'

export function isReviewVersion(version: string): version is ReviewVersion {
  return version === 'v1' || version === 'v1beta1'
}

/** Question to a webhook. Its answer must have the same `uid`. */
interface ConversionRequest {
  readonly uid: string
  readonly desiredAPIVersion: string
  readonly objects: readonly KubeObject[]
}

/** Makes the ConversionReview of a request, as JSON to be sent. */
export function reviewOf(version: ReviewVersion, request: ConversionRequest): JsonObject {
  const { uid, desiredAPIVersion, objects } = request
  return {
    kind: KIND,
    apiVersion: `${GROUP}/${version}`,
    request: { uid, desiredAPIVersion, objects: [...objects] },
  }
}

/**
 * Returns the objects of a webhook's answer, which are still to be checked one by one. Throws with
 * kube-apiserver's text if the answer is no review, is not for this request, or reports a failure
 * (apiextensions-apiserver, pkg/apiserver/conversion).
 */
export function convertedObjects(answer: JsonValue, version: ReviewVersion, uid: string): JsonValue[] {
  const review = checkedReview(answer, version)
  const response = ownMember(review, 'response')
  if (response === undefined || response === null) throw new Error('no response provided')
  checkTypes(response)
  // v1beta1 was never held to the uid.
  if (version === 'v1' && stringAt(response, 'uid') !== uid) {
    throw new Error(`expected response.uid=${quoted(uid)}, got ${quoted(stringAt(response, 'uid'))}`)
  }
  const result = objectAt(response, 'result')
  const status = stringAt(result, 'status')
  if (status === 'Success') return listAt(response, 'convertedObjects')
  throw new Error(stringAt(result, 'message') || `response.result.status was '${status}', not 'Success'`)
}

function checkedReview(answer: JsonValue, version: ReviewVersion): JsonObject {
  const asked = { group: GROUP, version, kind: KIND }
  const review = answeredReview(answer, asked)
  if (version === 'v1') checkSaysWhatItIs(review, asked)
  return review
}

const MEMBERS = [
  { name: 'uid', type: 'types.UID', fits: (value: JsonValue) => typeof value === 'string' },
  { name: 'convertedObjects', type: '[]runtime.RawExtension', fits: Array.isArray },
  { name: 'result', type: 'v1.Status', fits: isObject },
] as const

function checkTypes(response: JsonValue): asserts response is JsonObject {
  if (!isObject(response)) {
    throw new Error(
      `json: cannot unmarshal ${goValueName(response)} into Go struct field ${KIND}.response of type v1.ConversionResponse`,
    )
  }
  for (const { name, type, fits } of MEMBERS) {
    const value = ownMember(response, name)
    if (value === undefined || value === null || fits(value)) continue
    throw new Error(
      `json: cannot unmarshal ${goValueName(value)} into Go struct field ConversionResponse.response.${name} of type ${type}`,
    )
  }
}
