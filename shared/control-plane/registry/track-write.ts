import { trackedManagers } from '../managed-fields/index.ts'
import type { KubeObject } from '../objects.ts'
import { apiVersionOf, type ResourceDefinition, type WriteContext } from './definition.ts'

export interface TrackedWrite {
  readonly definition: ResourceDefinition
  readonly context: WriteContext
  /** The object as the client wants it, before the server adds what is its own: that is never tracked. */
  readonly submitted: KubeObject
  readonly stored?: KubeObject
  readonly subresource?: string
}

/** Sets the draft's `metadata.managedFields`. */
export function trackWrite(draft: KubeObject, write: TrackedWrite): void {
  const { definition, context, submitted, stored, subresource } = write
  const entries = trackedManagers(submitted, stored, {
    manager: context.fieldManager,
    apiVersion: apiVersionOf(definition),
    schema: definition.schema,
    hasStatus: definition.hasStatus === true,
    now: context.now,
    ...(subresource ? { subresource } : {}),
  })
  if (entries) draft.metadata.managedFields = entries
  else delete draft.metadata.managedFields
}
