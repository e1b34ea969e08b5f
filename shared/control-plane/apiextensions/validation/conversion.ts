import { caBundleErrors, clientConfigErrors } from '../../admission/webhook-client/client-config-errors.ts'
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, stringAt, stringsAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { dns1035Label } from '../../apimachinery/validation/names.ts'
import { isReviewVersion } from '../conversion/review.ts'
import { isTrue, specOf } from '../crd.ts'

const AT = 'spec.conversion'
/** Path of `webhook.clientConfig`. Upstream's errors still use its name in v1beta1. */
const CLIENT_CONFIG = `${AT}.webhookClientConfig`
const REVIEW_VERSIONS = `${AT}.conversionReviewVersions`

/** Validates as validateCustomResourceConversion; of `old`, which is replaced, some errors may stay. */
export function conversionErrors(crd: KubeObject, old: KubeObject | undefined): FieldError[] {
  const conversion = objectAt(specOf(crd), 'conversion')
  const strategy = stringAt(conversion, 'strategy')
  return [
    ...strategyErrors(strategy),
    ...(strategy === 'Webhook' ? webhookErrors(conversion, old) : strayErrors(conversion)),
  ]
}

function strategyErrors(strategy: string): FieldError[] {
  if (strategy === '') return [required(`${AT}.strategy`)]
  const known = ['None', 'Webhook']
  return known.includes(strategy) ? [] : [notSupported(`${AT}.strategy`, strategy, known)]
}

function strayErrors(conversion: JsonObject): FieldError[] {
  const webhook = objectAt(conversion, 'webhook')
  const why = 'should not be set when strategy is not set to Webhook'
  return [
    ...(isObject(webhook.clientConfig) ? [forbiddenField(CLIENT_CONFIG, why)] : []),
    ...(stringsAt(webhook, 'conversionReviewVersions').length > 0
      ? [forbiddenField(REVIEW_VERSIONS, why)]
      : []),
  ]
}

function webhookErrors(conversion: JsonObject, old: KubeObject | undefined): FieldError[] {
  const webhook = objectAt(conversion, 'webhook')
  const { clientConfig } = webhook
  const former = objectAt(objectAt(old && specOf(old), 'conversion'), 'webhook')
  return [
    ...(isObject(clientConfig)
      ? [
          ...clientConfigErrors(clientConfig, CLIENT_CONFIG),
          ...(mayHaveBadBundle(old, former)
            ? []
            : caBundleErrors(clientConfig.caBundle, `${CLIENT_CONFIG}.caBundle`)),
        ]
      : [required(CLIENT_CONFIG, 'required when strategy is set to Webhook')]),
    ...reviewVersionErrors(
      stringsAt(webhook, 'conversionReviewVersions'),
      hasKnownVersionOrNone(stringsAt(former, 'conversionReviewVersions')),
    ),
  ]
}

/** Reports whether a bundle may lack certificates: until a definition is served, or if the old one did. */
function mayHaveBadBundle(old: KubeObject | undefined, former: JsonObject): boolean {
  if (!old || !isTrue(old, 'Established')) return true
  return caBundleErrors(objectAt(former, 'clientConfig').caBundle, '').length > 0
}

function hasKnownVersionOrNone(versions: readonly string[]): boolean {
  return versions.length === 0 || versions.some(isReviewVersion)
}

function reviewVersionErrors(versions: readonly string[], needsKnown: boolean): FieldError[] {
  if (versions.length === 0) return [required(REVIEW_VERSIONS)]
  const errors = versions.flatMap((version, index) => {
    const at = `${REVIEW_VERSIONS}[${index}]`
    if (versions.indexOf(version) < index) return [invalidValue(at, version, 'duplicate version')]
    return dns1035Label(version).map((text) => invalidValue(at, version, text))
  })
  if (!needsKnown || versions.some(isReviewVersion)) return errors
  return [...errors, invalidValue(REVIEW_VERSIONS, [...versions], 'must include at least one of v1, v1beta1')]
}
