import type { JsonObject } from '../../apimachinery/json/index.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { type Endpoint, systemContext, updateObject } from '../../apiserver/registry/index.ts'
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
