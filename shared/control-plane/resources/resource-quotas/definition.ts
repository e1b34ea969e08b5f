import { objectAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { errorsBy } from '../../apimachinery/validation/field.ts'
import type { ResourceDefinition } from '../../apiserver/registry/definition/resource-definition.ts'
import { tableOf } from '../../apiserver/table/columns.ts'
import { builtInKind } from '../built-in-kind.ts'
import { resourceListAt } from './resource-list.ts'
import { validateQuota, validateQuotaStatus, validateQuotaUpdate } from './validation.ts'

/** Resource that says how much the objects of a namespace may use together. */
export const resourceQuotas: ResourceDefinition = {
  ...builtInKind('', 'ResourceQuota'),
  namespaced: true,
  shortNames: ['quota'],
  returnsDeleted: true,
  hasStatus: true,
  table: tableOf('resourcequotas', cells),
  strategy: {
    prepareForCreate: (quota, { warnings }) => {
      quota.status = {}
      warnings.push(...warningsOf(quota))
    },
    validate: errorsBy(validateQuota),
    validateUpdate: errorsBy(validateQuotaUpdate),
    validateStatusUpdate: errorsBy(validateQuotaStatus),
  },
}

/** Returns warnings about requests above the limits, which cannot be used. */
function warningsOf(quota: KubeObject): string[] {
  const hard = resourceListAt(objectAt(quota, 'spec'), 'hard')
  return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((resource) => {
    const bare = resource === 'cpu' || resource === 'memory' ? [resource] : []
    const name = [`requests.${resource}`, ...bare].find((candidate) => hard.has(candidate)) ?? ''
    const [request, limit] = [hard.get(name), hard.get(`limits.${resource}`)]
    return request && limit && request.compare(limit) > 0
      ? [`ResourceQuota ${name} (${request}) should be less than limits.${resource} (${limit})`]
      : []
  })
}

function cells(quota: KubeObject) {
  const status = objectAt(quota, 'status')
  const hard = resourceListAt(status, 'hard')
  const used = resourceListAt(status, 'used')
  const texts = [...hard]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, limit]) => ({
      isLimit: name.startsWith('limits.'),
      text: `${name}: ${used.get(name) ?? 0}/${limit}`,
    }))
  const joined = (isLimit: boolean) =>
    texts
      .filter((item) => item.isLimit === isLimit)
      .map(({ text }) => text)
      .join(', ')
  return { Request: joined(false), Limit: joined(true) }
}
