import { subdomainName } from '../../../kubernetes/index.ts'
import {
  validateClientConfig,
  validateReviewVersions,
} from '../../admission/webhook-client/client-config-validation.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectsAt, sameJson } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { Field } from '../../apimachinery/validation/field.ts'
import type { LazyCel } from '../../cel/lazy-cel.ts'
import { validateLabelSelector } from './matching/label-selector.ts'
import { validateMatchConditions } from './matching/match-conditions.ts'
import { validateRule } from './matching/rules.ts'
import { FAILURE_POLICIES, REINVOCATION_POLICIES } from './policies/policy-choices.ts'

/** Versions of AdmissionReview that are sent, in upstream's order. */
const REVIEW_VERSIONS = ['v1', 'v1beta1']
const SIDE_EFFECTS = ['None', 'NoneOnDryRun']
const LONGEST_TIMEOUT = 30

export const webhooksOf = (configuration: KubeObject): JsonObject[] => objectsAt(configuration, 'webhooks')

/**
 * Validates the webhooks of a configuration (pkg/apis/admissionregistration/validation).
 * @param cel undefined if an update leaves all conditions as they are
 */
export function validateConfiguration(configuration: Field, cel: LazyCel | undefined): void {
  const names = new Set<string>()
  for (const webhook of configuration.child('webhooks').items()) {
    validateWebhook(webhook, cel)
    const versions = webhook.child('admissionReviewVersions')
    const hint = REVIEW_VERSIONS.join(', ')
    if (versions.notEmpty(`must specify one of ${hint}`)) {
      validateReviewVersions(versions)
      if (!versions.strings.some((version) => REVIEW_VERSIONS.includes(version)))
        versions.invalid(`must include at least one of ${hint}`)
    }
    webhook.child('name').ifFilled?.unique(names)
  }
}

/** Reports whether an update leaves all conditions as they are: valid once, they are not checked again. */
export function sameConditions(configuration: KubeObject, old: KubeObject): boolean {
  const [next, before] = [webhooksOf(configuration), webhooksOf(old)]
  return (
    next.length === before.length &&
    next.every((webhook, index) => sameJson(webhook.matchConditions, before[index]?.matchConditions))
  )
}

function validateWebhook(webhook: Field, cel: LazyCel | undefined): void {
  validateName(webhook.child('name'))
  for (const rule of webhook.child('rules').items()) validateRule(rule)
  webhook.child('failurePolicy').ifSet?.oneOf(FAILURE_POLICIES)
  webhook.child('matchPolicy').ifSet?.oneOf(['Equivalent', 'Exact'])
  const effects = webhook.child('sideEffects')
  if (effects.ifSet) effects.oneOf(SIDE_EFFECTS)
  else effects.required(`must specify one of ${SIDE_EFFECTS.join(', ')}`)
  webhook
    .child('timeoutSeconds')
    .ifSet?.between(1, LONGEST_TIMEOUT, 'the timeout value must be between 1 and 30 seconds')
  validateLabelSelector(webhook.child('namespaceSelector'))
  validateLabelSelector(webhook.child('objectSelector'))
  webhook.child('reinvocationPolicy').ifSet?.oneOf(REINVOCATION_POLICIES)
  validateClientConfig(webhook.child('clientConfig'))
  validateMatchConditions(webhook.child('matchConditions'), cel, false)
}

function validateName(name: Field): void {
  if (!name.notEmpty()) return
  const texts = subdomainName(name.text)
  if (texts.length > 0) name.invalid(texts.join(','))
  else if (name.text.split('.').length < 3)
    name.invalid('should be a domain with at least three segments separated by dots')
}
