import type { KubeObject } from '../../../apimachinery/objects.ts'
import type { WriteEndpoint } from '../definition/resource-definition.ts'
import type { WriteContext } from '../definition/write-context.ts'

/**
 * Takes what a valid object needs of what is unique in the cluster; `stored` is undefined on creation.
 * Returns what gives that back, for the caller to call when the object is stored and when it will not be;
 * undefined where there is nothing to take.
 */
export function allocate(
  { definition: { strategy } }: Pick<WriteEndpoint, 'definition'>,
  draft: KubeObject,
  stored: KubeObject | undefined,
  context: WriteContext,
): (() => void) | undefined {
  const giveBack = strategy?.allocate?.(draft, stored, context)
  strategy?.warn?.(draft, stored, context.warnings)
  return giveBack
}
