import { type LabelRequirement, matchesLabels } from '../../kubernetes/index.ts'
import { type ApiError, notFound } from '../apimachinery/errors/index.ts'
import { type JsonObject, objectsAt, stringAt, stringsAt } from '../apimachinery/json/index.ts'
import { type KubeObject, labelsOf, stringMap } from '../apimachinery/objects.ts'
import type { AdmissionAttributes } from '../apiserver/registry/index.ts'

const OPERATORS: Readonly<Record<string, LabelRequirement['operator']>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: 'absent',
}

/**
 * A meta/v1 LabelSelector that has been validated, as requirements; an empty one has none and matches
 * everything.
 */
export function requirementsOf(selector: JsonObject): LabelRequirement[] {
  return [
    ...Object.entries(stringMap(selector.matchLabels)).map(([key, value]) => ({
      key,
      operator: 'in' as const,
      values: [value],
    })),
    ...objectsAt(selector, 'matchExpressions').map((expression) => ({
      key: stringAt(expression, 'key'),
      operator: OPERATORS[stringAt(expression, 'operator')] ?? 'exists',
      values: stringsAt(expression, 'values'),
    })),
  ]
}

/**
 * Whether the object or the one before it is selected; an object that is not there has no labels to select it
 * by.
 */
export function matchesObjects(
  requirements: readonly LabelRequirement[],
  { object, oldObject }: AdmissionAttributes,
): boolean {
  if (requirements.length === 0) return true
  return [object, oldObject].some((one) => one !== undefined && matchesLabels(requirements, labelsOf(one)))
}

/**
 * Whether the namespace of the request is selected; cluster-scoped objects other than Namespaces always are.
 * Where the namespace does not exist, the 404 that is to be answered if everything else matches.
 */
export function matchesNamespace(
  requirements: readonly LabelRequirement[],
  attributes: AdmissionAttributes,
): boolean | ApiError {
  const { namespace, resource } = attributes
  if (requirements.length === 0 || (namespace === '' && resource.resource !== 'namespaces')) return true
  const found = namespaceOf(attributes)
  if (!found) return notFound({ group: '', plural: 'namespaces' }, namespace)
  return matchesLabels(requirements, labelsOf(found))
}

/** Of a Namespace that is created or updated, it itself: what is stored is not what it is going to be. */
export function namespaceOf(attributes: AdmissionAttributes): KubeObject | undefined {
  const { resource, subresource, object, objects, namespace } = attributes
  const isNamespace = resource.group === '' && resource.resource === 'namespaces' && subresource === ''
  return isNamespace && object ? object : objects.get('namespaces', '', namespace)
}
