import { ApiError } from '../../apimachinery/errors/index.ts'
import type { AdmissionAttributes, AdmissionRequest, Registry } from '../../apiserver/registry/index.ts'
import { type JudgedAs, judgedAs } from '../judged-as.ts'
import { matchesNamespace, matchesObjects } from '../selectors.ts'
import type { Webhook } from './source.ts'

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

/** As what the webhook's rules are about the request. */
export function calledFor(
  { rules, equivalent }: Webhook,
  request: AdmissionRequest,
  registry: Registry,
): JudgedAs | undefined {
  return judgedAs({ rules, equivalent }, request, registry)
}

/**
 * As what the webhook is to be called for these objects, its match conditions apart; undefined where it is
 * not.
 * @throws ApiError 404 where its selector asks for a namespace that does not exist
 */
export function selectedFor(
  webhook: Webhook,
  attributes: AdmissionAttributes,
  registry: Registry,
): JudgedAs | undefined {
  const inNamespace = matchesNamespace(webhook.namespaceSelector, attributes)
  if (inNamespace === false || !matchesObjects(webhook.objectSelector, attributes)) return undefined
  const found = calledFor(webhook, attributes, registry)
  if (found && inNamespace instanceof ApiError) throw inNamespace
  return found
}
