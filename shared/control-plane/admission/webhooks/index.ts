import type { AdmissionPlugin, Registry } from '../../registry/index.ts'
import { WebhookCaller } from './caller.ts'
import type { ConditionMatcher } from './conditions.ts'
import { mutatingWebhooks } from './mutating.ts'
import { validatingWebhooks } from './validating.ts'

export type { ConditionInput, ConditionMatcher } from './conditions.ts'

export interface WebhookPlugins {
  readonly mutating: AdmissionPlugin
  readonly validating: AdmissionPlugin
  /** Ends the connections to webhooks. */
  close(): void
}

/** The plugins MutatingAdmissionWebhook and ValidatingAdmissionWebhook: the webhooks of the configurations that the registry holds. */
export function webhookPlugins(registry: Registry, conditions: ConditionMatcher): WebhookPlugins {
  const caller = new WebhookCaller(registry)
  return {
    mutating: mutatingWebhooks(registry, caller, conditions),
    validating: validatingWebhooks(registry, caller, conditions),
    close: () => caller.close(),
  }
}
