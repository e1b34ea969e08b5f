import { subdomainName } from '../../../kubernetes/index.ts'
import { clientConfigErrors } from '../../admission/webhook-client/client-config-errors.ts'
import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  required,
} from '../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import {
  numberAt,
  objectAt,
  objectsAt,
  sameJson,
  stringAt,
  stringsAt,
} from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { labelSelectorErrors } from './matching/label-selector.ts'
import { type ExpressionErrors, matchConditionErrors } from './matching/match-conditions.ts'
import { ruleErrors } from './matching/rules.ts'

/** Versions of AdmissionReview that are sent, in upstream's order. */
const REVIEW_VERSIONS = ['v1', 'v1beta1']
const SIDE_EFFECTS = ['None', 'NoneOnDryRun']
const LONGEST_TIMEOUT = 30
const DNS_1035_LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const DNS_1035_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"

export const webhooksOf = (configuration: KubeObject): JsonObject[] => objectsAt(configuration, 'webhooks')

/** Validates the webhooks of a configuration (pkg/apis/admissionregistration/validation). */
export function configurationErrors(
  configuration: KubeObject,
  expressionErrors: ExpressionErrors,
): FieldError[] {
  const webhooks = webhooksOf(configuration)
  const names = webhooks.map((webhook) => stringAt(webhook, 'name'))
  return webhooks.flatMap((webhook, index) => {
    const at = `webhooks[${index}]`
    const name = names[index] ?? ''
    const again = name !== '' && names.indexOf(name) < index
    return [
      ...webhookErrors(webhook, at, expressionErrors),
      ...reviewVersionErrors(stringsAt(webhook, 'admissionReviewVersions'), `${at}.admissionReviewVersions`),
      ...(again ? [duplicate(`${at}.name`, name)] : []),
    ]
  })
}

/** Reports whether an update leaves all conditions as they are: valid once, they are not checked again. */
export function sameConditions(configuration: KubeObject, old: KubeObject): boolean {
  const [next, before] = [webhooksOf(configuration), webhooksOf(old)]
  return (
    next.length === before.length &&
    next.every((webhook, index) => sameJson(webhook.matchConditions, before[index]?.matchConditions))
  )
}

function webhookErrors(webhook: JsonObject, at: string, expressionErrors: ExpressionErrors): FieldError[] {
  const timeout = numberAt(webhook, 'timeoutSeconds')
  return [
    ...nameErrors(stringAt(webhook, 'name'), `${at}.name`),
    ...objectsAt(webhook, 'rules').flatMap((rule, index) => ruleErrors(rule, `${at}.rules[${index}]`)),
    ...choiceErrors(webhook, 'failurePolicy', ['Fail', 'Ignore'], at),
    ...choiceErrors(webhook, 'matchPolicy', ['Equivalent', 'Exact'], at),
    ...(typeof webhook.sideEffects !== 'string'
      ? [required(`${at}.sideEffects`, `must specify one of ${SIDE_EFFECTS.join(', ')}`)]
      : choiceErrors(webhook, 'sideEffects', SIDE_EFFECTS, at)),
    ...(timeout !== undefined && (timeout < 1 || timeout > LONGEST_TIMEOUT)
      ? [invalidValue(`${at}.timeoutSeconds`, timeout, 'the timeout value must be between 1 and 30 seconds')]
      : []),
    ...labelSelectorErrors(webhook.namespaceSelector, `${at}.namespaceSelector`),
    ...labelSelectorErrors(webhook.objectSelector, `${at}.objectSelector`),
    ...choiceErrors(webhook, 'reinvocationPolicy', ['IfNeeded', 'Never'], at),
    ...clientConfigErrors(objectAt(webhook, 'clientConfig'), `${at}.clientConfig`),
    ...matchConditionErrors(objectsAt(webhook, 'matchConditions'), `${at}.matchConditions`, expressionErrors),
  ]
}

function nameErrors(name: string, at: string): FieldError[] {
  if (name === '') return [required(at)]
  const texts = subdomainName(name)
  if (texts.length > 0) return [invalidValue(at, name, texts.join(','))]
  return name.split('.').length < 3
    ? [invalidValue(at, name, 'should be a domain with at least three segments separated by dots')]
    : []
}

function choiceErrors(
  webhook: JsonObject,
  member: string,
  choices: readonly string[],
  at: string,
): FieldError[] {
  const value = webhook[member]
  return typeof value === 'string' && !choices.includes(value)
    ? [notSupported(`${at}.${member}`, value, choices)]
    : []
}

function reviewVersionErrors(versions: string[], at: string): FieldError[] {
  if (versions.length === 0) return [required(at, `must specify one of ${REVIEW_VERSIONS.join(', ')}`)]
  const known = versions.some((version) => REVIEW_VERSIONS.includes(version))
  return [
    ...versions.flatMap((version, index) => {
      const path = `${at}[${index}]`
      if (versions.indexOf(version) < index) return [invalidValue(path, version, 'duplicate version')]
      return labelTexts(version).map((text) => invalidValue(path, version, text))
    }),
    ...(known
      ? []
      : [invalidValue(at, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`)]),
  ]
}

function labelTexts(text: string): string[] {
  return [
    ...(Buffer.byteLength(text) > 63 ? ['must be no more than 63 characters'] : []),
    ...(DNS_1035_LABEL.test(text) ? [] : [DNS_1035_TEXT]),
  ]
}
