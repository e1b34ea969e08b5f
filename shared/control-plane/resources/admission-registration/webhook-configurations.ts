import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, objectsAt } from '../../apimachinery/json/values.ts'
import { errorsBy } from '../../apimachinery/validation/field.ts'
import type { ResourceDefinition } from '../../apiserver/registry/definition/resource-definition.ts'
import { countChanges } from '../../apiserver/registry/writes/generation.ts'
import { tableOf } from '../../apiserver/table/columns.ts'
import type { LazyCel } from '../../cel/lazy-cel.ts'
import { builtInKind } from '../built-in-kind.ts'
import { warnOfStaticName } from './static-name.ts'
import { sameConditions, validateConfiguration, webhooksOf } from './webhook-validation.ts'

const GROUP = 'admissionregistration.k8s.io'
const DEFAULT_TIMEOUT = 10
const DEFAULT_PORT = 443

/** Returns the resources of webhook configurations. */
export function webhookConfigurations(cel: LazyCel): ResourceDefinition[] {
  return [configurations('Mutating', cel), configurations('Validating', cel)]
}

function configurations(which: 'Mutating' | 'Validating', cel: LazyCel): ResourceDefinition {
  const names = builtInKind(GROUP, `${which}WebhookConfiguration`)
  return {
    ...names,
    namespaced: false,
    categories: ['api-extensions'],
    finalizers: 'any',
    unconditionalUpdate: false,
    table: tableOf(names.plural, (object) => ({ Webhooks: webhooksOf(object).length })),
    strategy: {
      setDefaults: (object) => {
        if (object.webhooks === undefined) return
        object.webhooks = webhooksOf(object).map((webhook) => withDefaults(webhook, which))
      },
      prepareForCreate: (object, context) => {
        countChanges(object, undefined)
        warnOfStaticName(object, context)
      },
      prepareForUpdate: (object, old, context) => {
        countChanges(object, old, 'webhooks')
        warnOfStaticName(object, context)
      },
      load: () => cel.load(),
      validateCreate: (object) => validate(object, cel),
      validateUpdate: (object, old) => validate(object, sameConditions(object, old) ? undefined : cel),
    },
  }
}

const validate = errorsBy(validateConfiguration)

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
