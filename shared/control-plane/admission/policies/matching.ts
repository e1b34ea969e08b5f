import { ApiError } from '../../apimachinery/errors/status.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, stringsAt } from '../../apimachinery/json/values.ts'
import { requirementsOf } from '../../apimachinery/selectors.ts'
import type { AdmissionAttributes, AdmissionRequest } from '../../apiserver/registry/admission/types.ts'
import type { Registry } from '../../apiserver/registry/registry.ts'
import { type MatchedAs, matchedAs } from '../matched-as.ts'
import { matchesNamespace, matchesObjects } from '../selectors.ts'
import { rulesOf } from './source.ts'

/** Reviews, which are not stored: policies that refused them could lock out every user. */
const EXCLUDED = new Set([
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authorization.k8s.io/subjectaccessreviews',
])

export function isExcluded({ resource: { group, resource } }: AdmissionRequest): boolean {
  return EXCLUDED.has(`${group}/${resource}`)
}

/** Reports whether a request may match, without its objects and its name. */
export function mayMatch(constraints: JsonObject, request: AdmissionRequest, registry: Registry): boolean {
  return (
    byRules(rulesOf(constraints, 'resourceRules'), constraints, { ...request, anyName: true }, registry) !==
    undefined
  )
}

/**
 * Returns the resource as which a policy or binding with these MatchResources matches the request; undefined
 * if it does not. Without rules every request matches.
 * @throws ApiError if its selector needs a namespace that does not exist
 */
export function matchOf(
  resources: JsonObject,
  attributes: AdmissionAttributes,
  registry: Registry,
): MatchedAs | undefined {
  const inNamespace = matchesNamespace(requirementsOf(objectAt(resources, 'namespaceSelector')), attributes)
  if (inNamespace === false) return undefined
  if (!matchesObjects(requirementsOf(objectAt(resources, 'objectSelector')), attributes)) return undefined
  const request = { ...requestOf(attributes), anyName: false }
  const excluded = rulesOf(resources, 'excludeResourceRules')
  if (excluded.length > 0 && byRules(excluded, resources, request, registry)) return undefined
  const rules = rulesOf(resources, 'resourceRules')
  const { kind, resource } = attributes
  const found = rules.length === 0 ? { kind, resource } : byRules(rules, resources, request, registry)
  if (found && inNamespace instanceof ApiError) throw inNamespace
  return found
}

/** Reports whether a binding matches the request; without `matchResources` it does if its policy does. */
export function bindingMatches(
  binding: JsonObject,
  attributes: AdmissionAttributes,
  registry: Registry,
): boolean {
  const { matchResources } = binding
  return !isObject(matchResources) || matchOf(matchResources, attributes, registry) !== undefined
}

type Named = AdmissionRequest & { readonly anyName: boolean }

/** Returns a copy of the request: the attributes know their name only when there is an object. */
function requestOf(attributes: AdmissionAttributes): AdmissionRequest {
  const { operation, kind, resource, subresource, namespace, name, user, dryRun, options } = attributes
  return { operation, kind, resource, subresource, namespace, name, user, dryRun, options }
}

function byRules(
  rules: readonly JsonObject[],
  { matchPolicy }: JsonObject,
  request: Named,
  registry: Registry,
): MatchedAs | undefined {
  const equivalent = matchPolicy === 'Equivalent'
  return matchedAs({ rules, equivalent, also: (rule) => hasName(rule, request) }, request, registry)
}

function hasName(rule: JsonObject, { name, anyName }: Named): boolean {
  const names = stringsAt(rule, 'resourceNames')
  return anyName || names.length === 0 || names.includes(name)
}
