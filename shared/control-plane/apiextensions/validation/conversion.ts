import {
  caBundleProblem,
  validateCaBundle,
  validateClientConfig,
  validateReviewVersions,
} from '../../admission/webhook-client/client-config-validation.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt, stringAt, stringsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { Field } from '../../apimachinery/validation/field.ts'
import { isReviewVersion } from '../conversion/review.ts'
import { isTrue, specOf } from '../crd.ts'

/** Validates as validateCustomResourceConversion; of `old`, which is replaced, some errors may stay. */
export function validateConversion(conversion: Field, old: KubeObject | undefined): void {
  const strategy = conversion.child('strategy')
  strategy.notEmpty()?.oneOf(['None', 'Webhook'])
  // Upstream's errors still use the names of v1beta1.
  const config = conversion.child('webhook', 'clientConfig').as(`${conversion.path}.webhookClientConfig`)
  const versions = conversion
    .child('webhook', 'conversionReviewVersions')
    .as(`${conversion.path}.conversionReviewVersions`)
  if (strategy.text === 'Webhook') {
    const former = objectAt(objectAt(old && specOf(old), 'conversion'), 'webhook')
    validateConfig(config, old, former)
    validateVersions(versions, stringsAt(former, 'conversionReviewVersions'))
    return
  }
  const why = 'should not be set when strategy is not set to Webhook'
  config.ifObject?.forbidden(why)
  if (versions.list.length > 0) versions.forbidden(why)
}

function validateConfig(config: Field, old: KubeObject | undefined, former: JsonObject): void {
  if (!config.ifObject) {
    config.required('required when strategy is set to Webhook')
    return
  }
  validateClientConfig(config)
  // A bundle may lack certificates until a definition is served, or if the old one did.
  const formerBundle = stringAt(objectAt(former, 'clientConfig'), 'caBundle')
  if (old && isTrue(old, 'Established') && caBundleProblem(formerBundle) === undefined)
    validateCaBundle(config.child('caBundle'))
}

function validateVersions(versions: Field, former: readonly string[]): void {
  if (!versions.notEmpty()) return
  validateReviewVersions(versions)
  const needsKnown = former.length === 0 || former.some(isReviewVersion)
  if (needsKnown && !versions.strings.some(isReviewVersion))
    versions.invalid('must include at least one of v1, v1beta1')
}
