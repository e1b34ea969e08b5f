import type { AdmissionPlugin } from '../../apiserver/registry/admission/types.ts'
import type { Registry } from '../../apiserver/registry/registry.ts'
import { WebhookCaller } from './caller.ts'
import { celConditions } from './cel-conditions.ts'
import { mutatingWebhooks } from './mutating.ts'
import { validatingWebhooks } from './validating.ts'

export interface WebhookPlugins {
  readonly mutating: AdmissionPlugin
  readonly validating: AdmissionPlugin
  /** Breaks off the connections to webhooks. */
  close(): void
}

/** Creates MutatingAdmissionWebhook and ValidatingAdmissionWebhook with the registry's configurations. */
export function webhookPlugins(registry: Registry): WebhookPlugins {
  const caller = new WebhookCaller(registry)
  const conditions = celConditions()
  return {
    mutating: mutatingWebhooks(registry, caller, conditions),
    validating: validatingWebhooks(registry, caller, conditions),
    close: () => caller.close(),
  }
}
