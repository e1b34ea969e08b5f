import type { GroupKind } from '../../../apimachinery/errors/factories.ts'
import type { ResourceDefinition } from './resource-definition.ts'

export function apiVersionOf({ group, version }: { group: string; version: string }): string {
  return group ? `${group}/${version}` : version
}

/** Names a resource as it is stored and read: `configmaps`, `endpointslices.discovery.k8s.io`. */
export function resourceName({ group, plural }: { group: string; plural: string }): string {
  return group ? `${plural}.${group}` : plural
}

/** Returns the kind as validation errors name it. */
export function errorKind({
  group,
  kind,
  shares,
}: Pick<ResourceDefinition, 'group' | 'kind' | 'shares'>): GroupKind {
  return { group: shares?.group ?? group, kind }
}

export function keyOf(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name
}
