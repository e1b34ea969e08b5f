import { type LabelRequirement, matchesLabels } from '../../kubernetes/index.ts'
import { notFound } from '../apimachinery/errors/factories.ts'
import type { ApiError } from '../apimachinery/errors/status.ts'
import { type KubeObject, labelsOf } from '../apimachinery/objects.ts'
import type { AdmissionAttributes } from '../apiserver/registry/admission/types.ts'

/** Reports whether the object or the one before it is selected. An object that is not there has no labels. */
export function matchesObjects(
  requirements: readonly LabelRequirement[],
  { object, oldObject }: AdmissionAttributes,
): boolean {
  if (requirements.length === 0) return true
  return [object, oldObject].some((one) => one !== undefined && matchesLabels(requirements, labelsOf(one)))
}

/**
 * Reports whether the namespace of the request is selected. Cluster-scoped objects other than Namespaces
 * always are. If the namespace does not exist, returns the 404 to answer if everything else matches.
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

/**
 * Returns the namespace of the request. If a Namespace is created or updated it is that object itself, as the
 * stored one is not what it is going to be.
 */
function namespaceOf(attributes: AdmissionAttributes): KubeObject | undefined {
  const { resource, subresource, object, objects, namespace } = attributes
  const isNamespace = resource.group === '' && resource.resource === 'namespaces' && subresource === ''
  return isNamespace && object ? object : objects.get('namespaces', '', namespace)
}
