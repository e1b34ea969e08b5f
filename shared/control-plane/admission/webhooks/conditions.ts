import { forbidden } from '../../apimachinery/errors/factories.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import type { AdmissionAttributes } from '../../apiserver/registry/admission/types.ts'
import type { SeenObjects } from './caller.ts'
import { requestOf } from './review.ts'
import type { Webhook } from './source.ts'

/** Input on which match conditions are evaluated. */
export interface ConditionInput {
  readonly request: JsonObject
  readonly object: JsonObject | undefined
  readonly oldObject: JsonObject | undefined
  readonly attributes: AdmissionAttributes
}

/** Evaluates conditions: false if one is, whatever the others; else errors of those that fail, else true. */
export type ConditionMatcher = (
  conditions: readonly JsonObject[],
  input: ConditionInput,
) => Promise<boolean | readonly string[]>

/**
 * Reports whether the request meets all match conditions of the webhook. If they cannot be evaluated, the
 * failurePolicy decides.
 * @throws ApiError 403 with the errors
 */
export async function meetsConditions(
  webhook: Webhook,
  seen: SeenObjects,
  attributes: AdmissionAttributes,
  matches: ConditionMatcher,
): Promise<boolean> {
  if (webhook.matchConditions.length === 0) return true
  const { object, oldObject, calledFor } = seen
  const request = requestOf({ ...seen, seenAs: calledFor }, attributes)
  const outcome = await matches(webhook.matchConditions, { request, object, oldObject, attributes })
  if (typeof outcome === 'boolean') return outcome
  if (webhook.ignoresFailure) return false
  const { group, resource } = attributes.resource
  const texts = [...new Set(outcome)]
  const why = texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`
  throw forbidden({ group, plural: resource }, attributes.name, why)
}
