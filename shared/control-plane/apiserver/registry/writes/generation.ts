import { sameJson } from '../../../apimachinery/json/values.ts'
import { type KubeObject, nextGeneration } from '../../../apimachinery/objects.ts'
import type { ResourceDefinition } from '../definition/resource-definition.ts'

/**
 * Counts `metadata.generation` as custom resources do: 1 at first, then each change of anything but metadata;
 * status, where it is a subresource, has been put back before.
 */
export function countGeneration(object: KubeObject, old: KubeObject | undefined): void {
  const { generation = 0 } = old?.metadata ?? {}
  const same = old !== undefined && sameJson({ ...object, metadata: {} }, { ...old, metadata: {} })
  object.metadata.generation = same ? generation : nextGeneration(generation)
}

/** Counts changes of these members alone, as built-in kinds do: 1 at first. */
export function countChanges(object: KubeObject, old: KubeObject | undefined, ...members: string[]): void {
  const generation = old?.metadata.generation
  if (!old || members.some((member) => !sameJson(object[member], old[member])))
    object.metadata.generation = nextGeneration(generation)
}

/** Whether a kind counts generations by default: Kubernetes' own count by their strategies, or never. */
export function countsByDefault({ schema, codec, shares, strategy }: ResourceDefinition): boolean {
  return !schema && !codec && !shares && !strategy?.prepareForUpdate
}
