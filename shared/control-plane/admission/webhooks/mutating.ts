import { quoted } from '../../../kubernetes/index.ts'
import { internalError } from '../../apimachinery/errors/factories.ts'
import { messageOf } from '../../apimachinery/errors/message.ts'
import type { JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { sameJson } from '../../apimachinery/json/values.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../../apiserver/registry/admission/types.ts'
import type { Registry } from '../../apiserver/registry/registry.ts'
import { replaceObject } from '../replace-object.ts'
import type { SeenObjects, WebhookCaller } from './caller.ts'
import { type ConditionMatcher, meetsConditions } from './conditions.ts'
import { WebhookCallError } from './failures.ts'
import { calledFor, isExempt, selectedFor } from './invocation.ts'
import { operationsOf, patchedObject } from './patch.ts'
import { ReinvokedWebhooks } from './reinvoked-webhooks.ts'
import type { AdmissionResponse } from './response.ts'
import { type Webhook, WebhookSource } from './source.ts'

const ANNOTATION = 'mutation.webhook.admission.k8s.io/'

/** Calls the mutating webhooks of a request one after the other: each sees what those before it have made. */
export function mutatingWebhooks(
  registry: Registry,
  caller: WebhookCaller,
  conditions: ConditionMatcher,
): AdmissionPlugin {
  const source = new WebhookSource(
    'mutatingwebhookconfigurations.admissionregistration.k8s.io',
    registry.objects,
  )
  const rounds = { create: () => new ReinvokedWebhooks() }
  return {
    name: 'MutatingAdmissionWebhook',
    handles: (request) =>
      !isExempt(request) && source.webhooks().some((webhook) => calledFor(webhook, request, registry)),
    mutate: async (attributes) => {
      const round = new Round(attributes, caller, attributes.reinvocation.state(rounds))
      for (const [index, webhook] of source.webhooks().entries()) {
        const selected = selectedFor(webhook, attributes, registry)
        if (!selected) continue
        const seen = await caller.seen(attributes, selected)
        const isMet = await meetsConditions(webhook, seen, attributes, conditions)
        if (isMet && round.includes(webhook)) await round.call(webhook, index, seen)
      }
      round.end()
    },
  }
}

/** One of at most two passes over the webhooks. */
class Round {
  readonly #attributes: AdmissionAttributes
  readonly #caller: WebhookCaller
  readonly #reinvoked: ReinvokedWebhooks

  constructor(attributes: AdmissionAttributes, caller: WebhookCaller, reinvoked: ReinvokedWebhooks) {
    this.#attributes = attributes
    this.#caller = caller
    this.#reinvoked = reinvoked
    if (attributes.reinvocation.again) reinvoked.begin(attributes.object)
  }

  /** Reports whether a round includes a webhook. In the second round none is called for the first time. */
  includes({ uid }: Webhook): boolean {
    return !this.#attributes.reinvocation.again || this.#reinvoked.isDue(uid)
  }

  end(): void {
    this.#reinvoked.finished(this.#attributes.object)
  }

  async call(webhook: Webhook, index: number, seen: SeenObjects): Promise<void> {
    const place = `round_${this.#attributes.reinvocation.again ? 1 : 0}_index_${index}`
    let changed = false
    try {
      changed = await this.#change(webhook, seen)
    } catch (error) {
      if (!(error instanceof WebhookCallError)) throw error
      if (!webhook.ignoresFailure) throw internalError(error.message)
      this.#attributes.annotate(`failed-open.${ANNOTATION}${place}`, webhook.name)
    } finally {
      const { configuration, name } = webhook
      this.#attributes.annotate(
        `${ANNOTATION}${place}`,
        JSON.stringify({ configuration, webhook: name, mutated: changed }),
      )
    }
    if (changed) {
      this.#reinvoked.changed()
      this.#attributes.reinvocation.request()
    }
    if (webhook.reinvoked) this.#reinvoked.called(webhook.uid)
  }

  /** Calls a webhook. Returns true if the object has changed. */
  async #change(webhook: Webhook, seen: SeenObjects): Promise<boolean> {
    const response = await this.#caller.ask(webhook, seen, this.#attributes, true)
    const operations = operationsFor(webhook, response)
    if (operations.length === 0) return false
    const { object, calledFor: as } = seen
    if (!object) {
      throw internalError(
        `admission webhook ${quoted(webhook.name)} attempted to modify the object, which is not supported for this operation`,
      )
    }
    const { patchType } = response
    if (patchType !== 'JSONPatch') {
      throw new WebhookCallError(webhook.name, `unsupported patch type ${quoted(patchType)}`)
    }
    const patched = patchedObject(object, operations)
    if (sameJson(patched, object)) return false
    replaceObject(this.#attributes, await this.#caller.converted(patched, this.#attributes, as))
    return true
  }
}

function operationsFor({ name }: Webhook, response: AdmissionResponse): readonly JsonValue[] {
  try {
    return operationsOf(response)
  } catch (error) {
    throw new WebhookCallError(name, messageOf(error), { cause: error })
  }
}
