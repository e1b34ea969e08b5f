import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, ownMember, stringAt } from '../../apimachinery/json/values.ts'
import { goValueName } from '../../apiserver/schema/go-types.ts'

/** The kind of review that a webhook is asked with, in the version that it is asked with. */
export interface ReviewKind {
  readonly group: string
  readonly version: 'v1' | 'v1beta1'
  readonly kind: string
}

/**
 * Returns the review that a webhook has answered. Here it may leave out `apiVersion` and `kind`. Throws an
 * Error with the text of apimachinery's decoder if the answer is no review.
 */
export function answeredReview(answer: JsonValue, { group, version, kind }: ReviewKind): JsonObject {
  // For encoding/json, null says nothing at all.
  if (answer === null) return {}
  if (!isObject(answer)) {
    const shape = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`
    throw unreadable(answer, `Go value of type ${shape}`)
  }
  for (const member of ['apiVersion', 'kind']) {
    const value = ownMember(answer, member) ?? ''
    if (typeof value !== 'string') throw unreadable(value, `Go struct field .${member} of type string`)
  }
  const given = stringAt(answer, 'apiVersion') || `${group}/${version}`
  const givenKind = stringAt(answer, 'kind') || kind
  if (given === `${group}/${version}` && givenKind === kind) return answer
  const other = otherKind(given, givenKind, group, kind)
  throw new Error(
    other === undefined
      ? `no kind "${givenKind}" is registered for version "${given}" in scheme "pkg/runtime/scheme.go:111"`
      : `converting (${other}) to (${version}.${kind}): unknown conversion`,
  )
}

function unreadable(value: JsonValue, into: string): Error {
  const why = `json: cannot unmarshal ${goValueName(value)} into ${into}`
  return new Error(`couldn't get version/kind; json parse error: ${why}`)
}

/** Returns answers that upstream can read as well, although it did not ask for them. */
function otherKind(apiVersion: string, kind: string, group: string, wanted: string): string | undefined {
  if (apiVersion === 'v1' && kind === 'Status') return 'v1.Status'
  const [, version] = [`${group}/v1`, `${group}/v1beta1`].includes(apiVersion) ? apiVersion.split('/') : []
  return version !== undefined && kind === wanted ? `${version}.${kind}` : undefined
}

/** Checks a v1 review, which must have `apiVersion` and `kind`. Throws an Error with upstream's text. */
export function checkSaysWhatItIs(review: JsonObject, { group, version, kind }: ReviewKind): void {
  const [apiVersion, givenKind] = [stringAt(review, 'apiVersion'), stringAt(review, 'kind')]
  if (apiVersion !== '' && givenKind !== '') return
  const given = `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${givenKind}`
  throw new Error(`expected webhook response of ${group}/${version}, Kind=${kind}, got ${given}`)
}
