import { forbidden } from '../../apimachinery/errors/factories.ts'
import { objectAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../../apiserver/registry/admission/types.ts'
import type { Registry } from '../../apiserver/registry/registry.ts'
import { type Charge, chargesFor, QuotaRefusal } from './check-request.ts'
import { evaluatorOf } from './evaluators/index.ts'
import { resourceListAt } from './resource-list.ts'
import { writeQuotaStatus } from './status.ts'

/**
 * Holds requests to the quotas of their namespaces, and charges them (upstream's admission plugin
 * ResourceQuota). Checking and charging are one step, so that requests at the same time never use more
 * together than there is. What is charged for a request that fails later is given back by the controller
 * `resourcequota`.
 */
export function resourceQuotaAdmission(registry: Registry): AdmissionPlugin {
  const quotasIn = (namespace: string): KubeObject[] => registry.objects.list('resourcequotas', namespace)
  return {
    name: 'ResourceQuota',
    handles: (request) => {
      const { operation, subresource, namespace, resource } = request
      if (namespace === '' || operation === 'DELETE' || operation === 'CONNECT') return false
      if (resource.group === '' && resource.resource === 'namespaces') return false
      const isHandled = evaluatorOf(nameOf(request))?.handles({ operation, subresource }) === true
      return isHandled && quotasIn(namespace).length > 0
    },
    validate: (attributes) => {
      const charges = chargesOf(quotasIn(attributes.namespace), attributes)
      if (!attributes.dryRun) for (const charge of charges) write(registry, charge)
    },
  }
}

const nameOf = ({ resource: { group, resource } }: Pick<AdmissionAttributes, 'resource'>): string =>
  group ? `${resource}.${group}` : resource

function chargesOf(quotas: readonly KubeObject[], attributes: AdmissionAttributes): Charge[] {
  const { object, oldObject: old, now, resource, name } = attributes
  const evaluator = evaluatorOf(nameOf(attributes))
  if (evaluator === undefined || object === undefined) return []
  if (old && evaluator.concerns?.(object, old) === false) return []
  try {
    return chargesFor(quotas, evaluator, { object, old, now })
  } catch (error) {
    if (error instanceof QuotaRefusal) {
      throw forbidden({ group: resource.group, plural: resource.resource }, name, error.message)
    }
    throw error
  }
}

function write(registry: Registry, { quota, used }: Charge): void {
  const endpoint = registry.endpoint('', 'v1', 'resourcequotas')
  if (endpoint === undefined) return
  const hard = resourceListAt(objectAt(quota, 'status'), 'hard')
  writeQuotaStatus(endpoint, quota, { hard, used }, 'kube-apiserver')
}
