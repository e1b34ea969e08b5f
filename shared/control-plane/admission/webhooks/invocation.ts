import { ApiError } from '../../errors/index.ts'
import type { AdmissionAttributes, AdmissionRequest, Registry } from '../../registry/index.ts'
import { matchesRule } from '../rules.ts'
import { matchesNamespace, matchesObjects } from '../selectors.ts'
import { equivalentsOf, type SeenAs } from '../versions.ts'
import type { Webhook } from './source.ts'

/** A resource that a webhook is called for; a request's own kind may be one that has no endpoint (Binding). */
export type CalledFor = Pick<SeenAs, 'kind' | 'resource'>

const EXEMPT = new Set([
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
])

/** Requests for what admission itself is made of: a webhook could lock everybody out of mending it. */
export function isExempt({ kind: { group, kind } }: AdmissionRequest): boolean {
  return group === 'admissionregistration.k8s.io' && EXEMPT.has(kind)
}

/** As what the webhook sees the request: by its own resource first, then by the first rule that an equivalent one matches. */
export function calledFor(
  webhook: Webhook,
  request: AdmissionRequest,
  registry: Registry,
): CalledFor | undefined {
  const { kind, resource } = request
  if (webhook.rules.some((rule) => matchesRule(rule, request, resource))) return { kind, resource }
  if (!webhook.equivalent) return undefined
  const equivalents = equivalentsOf(request, registry)
  for (const rule of webhook.rules) {
    const found = equivalents.find((other) => matchesRule(rule, request, other.resource))
    if (found) return found
  }
  return undefined
}

/**
 * As what the webhook is to be called for these objects, its match conditions apart; undefined where it is not.
 * @throws ApiError 404 where its selector asks for a namespace that does not exist
 */
export function selectedFor(
  webhook: Webhook,
  attributes: AdmissionAttributes,
  registry: Registry,
): CalledFor | undefined {
  const inNamespace = matchesNamespace(webhook.namespaceSelector, attributes)
  if (inNamespace === false || !matchesObjects(webhook.objectSelector, attributes)) return undefined
  const found = calledFor(webhook, attributes, registry)
  if (found && inNamespace instanceof ApiError) throw inNamespace
  return found
}
