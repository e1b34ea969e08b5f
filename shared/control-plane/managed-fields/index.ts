import type { KubeObject } from '../objects.ts'
import type { ResourceDefinition, WriteContext } from '../registry/definition.ts'

export interface Tracking {
  readonly definition: ResourceDefinition
  readonly context: WriteContext
  readonly subresource?: string
}

export function trackManagers(
  object: KubeObject,
  _old: KubeObject | undefined,
  _tracking: Tracking,
): KubeObject {
  return object
}
