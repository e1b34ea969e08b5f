import { isObject, type JsonObject, objectAt, objectsAt, sameJson } from '../../json.ts'
import type { KubeObject } from '../../objects.ts'
import type { ResourceDefinition, WriteContext } from '../../registry/index.ts'
import { ageOf, tableOf } from '../../table/index.ts'
import type { ExpressionErrors } from './match-conditions.ts'
import { configurationErrors, webhooksOf } from './webhook-errors.ts'

const GROUP = 'admissionregistration.k8s.io'
/** Names of configurations that kube-apiserver may once read from files (KEP-5793). */
const STATIC_SUFFIX = '.static.k8s.io'
const DEFAULT_TIMEOUT = 10
const DEFAULT_PORT = 443

export const mutatingWebhookConfigurations = configurations('Mutating')
export const validatingWebhookConfigurations = configurations('Validating')

function configurations(which: 'Mutating' | 'Validating'): ResourceDefinition {
  const kind = `${which}WebhookConfiguration`
  const singular = kind.toLowerCase()
  const plural = `${singular}s` as 'mutatingwebhookconfigurations' | 'validatingwebhookconfigurations'
  return {
    group: GROUP,
    version: 'v1',
    kind,
    plural,
    singular,
    namespaced: false,
    categories: ['api-extensions'],
    schema: `admissionregistration.${kind}`,
    unconditionalUpdate: false,
    table: tableOf(plural, (object, now) => [
      object.metadata.name ?? '',
      webhooksOf(object).length,
      ageOf(object, now),
    ]),
    strategy: {
      setDefaults: (object) => {
        if (object.webhooks === undefined) return
        object.webhooks = webhooksOf(object).map((webhook) => withDefaults(webhook, which))
      },
      prepareForCreate: (object, context) => {
        object.metadata.generation = 1
        warnOfName(object, context)
      },
      prepareForUpdate: (object, old, context) => {
        if (!sameJson(object.webhooks, old.webhooks))
          object.metadata.generation = (old.metadata.generation ?? 0) + 1
        warnOfName(object, context)
      },
      validateCreate: (object) => configurationErrors(object, unread),
      validateUpdate: (object) => configurationErrors(object, unread),
    },
  }
}

const unread: ExpressionErrors = () => []

function withDefaults(webhook: JsonObject, which: 'Mutating' | 'Validating'): JsonObject {
  const { service } = objectAt(webhook, 'clientConfig')
  const { rules } = webhook
  return {
    ...webhook,
    ...(isObject(service)
      ? {
          clientConfig: {
            ...objectAt(webhook, 'clientConfig'),
            service: { ...service, port: service.port ?? DEFAULT_PORT },
          },
        }
      : {}),
    ...(rules === undefined
      ? {}
      : { rules: objectsAt(webhook, 'rules').map((rule) => ({ ...rule, scope: rule.scope ?? '*' })) }),
    failurePolicy: webhook.failurePolicy ?? 'Fail',
    matchPolicy: webhook.matchPolicy ?? 'Equivalent',
    namespaceSelector: webhook.namespaceSelector ?? {},
    objectSelector: webhook.objectSelector ?? {},
    timeoutSeconds: webhook.timeoutSeconds ?? DEFAULT_TIMEOUT,
    ...(which === 'Mutating' ? { reinvocationPolicy: webhook.reinvocationPolicy ?? 'Never' } : {}),
  }
}

function warnOfName({ metadata: { name = '' } }: KubeObject, { warnings }: WriteContext): void {
  if (!name.endsWith(STATIC_SUFFIX)) return
  warnings.push(
    `metadata.name: names ending with ${JSON.stringify(STATIC_SUFFIX)} are reserved for static manifest-based configurations and cannot be managed via the API`,
  )
}
