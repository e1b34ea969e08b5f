import type { KubeObject } from '../../objects.ts'
import { type Endpoint, systemContext, updateObject } from '../../registry/index.ts'
import { type ResourceList, toJson } from './resource-list.ts'

const STATUS = { name: 'status', definition: { kind: 'ResourceQuota', verbs: ['update'] } } as const

/** Writes what a quota allows and what is used of it. */
export function writeQuotaStatus(
  endpoint: Endpoint,
  stored: KubeObject,
  { hard, used }: { readonly hard: ResourceList; readonly used: ResourceList },
  fieldManager: string,
): void {
  const status = { hard: toJson(hard), used: toJson(used) }
  const context = { ...systemContext(endpoint.objects, Date.now()), fieldManager }
  updateObject({ endpoint, stored, subresource: STATUS }, { ...stored, status }, context)
}
