import { internalError } from '../../apimachinery/errors/factories.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../../apiserver/registry/admission/types.ts'
import type { Registry } from '../../apiserver/registry/registry.ts'
import type { SeenObjects, WebhookCaller } from './caller.ts'
import { type ConditionMatcher, meetsConditions } from './conditions.ts'
import { WebhookCallError } from './failures.ts'
import { calledFor, isExempt, selectedFor } from './invocation.ts'
import { type Webhook, WebhookSource } from './source.ts'

const FAILED_OPEN = 'failed-open.validating.webhook.admission.k8s.io/'

/** Calls the validating webhooks of a request at the same time; the first that refuses is answered. */
export function validatingWebhooks(
  registry: Registry,
  caller: WebhookCaller,
  conditions: ConditionMatcher,
): AdmissionPlugin {
  const source = new WebhookSource(
    'validatingwebhookconfigurations.admissionregistration.k8s.io',
    registry.objects,
  )
  const invocations = async (attributes: AdmissionAttributes): Promise<Invocation[]> => {
    const found: Invocation[] = []
    for (const webhook of source.webhooks()) {
      const selected = selectedFor(webhook, attributes, registry)
      if (!selected) continue
      const seen = await caller.seen(attributes, selected)
      if (await meetsConditions(webhook, seen, attributes, conditions)) found.push({ webhook, seen })
    }
    return found
  }
  return {
    name: 'ValidatingAdmissionWebhook',
    handles: (request) =>
      !isExempt(request) && source.webhooks().some((webhook) => calledFor(webhook, request, registry)),
    validate: async (attributes) => {
      const refusals: unknown[] = []
      const calls = (await invocations(attributes)).map(async ({ webhook, seen }, index) => {
        try {
          await caller.ask(webhook, seen, attributes, false)
        } catch (error) {
          if (!(error instanceof WebhookCallError)) refusals.push(error)
          else if (!webhook.ignoresFailure) refusals.push(internalError(error.message))
          else attributes.annotate(`${FAILED_OPEN}round_0_index_${index}`, webhook.name)
        }
      })
      await Promise.all(calls)
      if (refusals.length > 0) throw refusals[0]
    },
  }
}

interface Invocation {
  readonly webhook: Webhook
  readonly seen: SeenObjects
}
