import { ApiError } from '../../apimachinery/errors/status.ts'
import type { AdmissionAttributes, AdmissionRequest } from '../../apiserver/registry/admission/types.ts'
import type { Registry } from '../../apiserver/registry/registry.ts'
import { type MatchedAs, matchedAs } from '../matched-as.ts'
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

/** Reports whether a request is for admission's own objects: a webhook could keep users from mending it. */
export function isExempt({ kind: { group, kind } }: AdmissionRequest): boolean {
  return group === 'admissionregistration.k8s.io' && EXEMPT.has(kind)
}

/** Returns the resource as which the webhook's rules match the request. */
export function calledFor(
  { rules, equivalent }: Webhook,
  request: AdmissionRequest,
  registry: Registry,
): MatchedAs | undefined {
  return matchedAs({ rules, equivalent }, request, registry)
}

/**
 * Returns the resource as which the webhook is to be called for these objects, before its match conditions;
 * undefined if it is not.
 * @throws ApiError 404 if its selector needs a namespace that does not exist
 */
export function selectedFor(
  webhook: Webhook,
  attributes: AdmissionAttributes,
  registry: Registry,
): MatchedAs | undefined {
  const inNamespace = matchesNamespace(webhook.namespaceSelector, attributes)
  if (inNamespace === false || !matchesObjects(webhook.objectSelector, attributes)) return undefined
  const found = calledFor(webhook, attributes, registry)
  if (found && inNamespace instanceof ApiError) throw inNamespace
  return found
}
