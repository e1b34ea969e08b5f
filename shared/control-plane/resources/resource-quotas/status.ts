import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { Endpoint } from '../../apiserver/registry/definition/resource-definition.ts'
import { systemContext } from '../../apiserver/registry/system-context.ts'
import { updateObject } from '../../apiserver/registry/writes/update.ts'
import { type ResourceList, toJson } from './resource-list.ts'

const STATUS = { name: 'status', definition: { kind: 'ResourceQuota', verbs: ['update'] } } as const

interface QuotaUsage {
  readonly hard: ResourceList
  readonly used: ResourceList
}

/** Makes the status of a quota: what it allows and what is used. */
export const quotaStatus = ({ hard, used }: QuotaUsage): JsonObject => ({
  hard: toJson(hard),
  used: toJson(used),
})

/** Writes what a quota allows and what is used of it. */
export function writeQuotaStatus(
  endpoint: Endpoint,
  stored: KubeObject,
  usage: QuotaUsage,
  fieldManager: string,
): void {
  const context = { ...systemContext(endpoint.objects, Date.now()), fieldManager }
  updateObject({ endpoint, stored, subresource: STATUS }, { ...stored, status: quotaStatus(usage) }, context)
}
