import { customResourceType, structType, type Tracking, trackedManagers } from '../managed-fields/index.ts'
import type { KubeObject } from '../objects.ts'
import { canonical } from '../schema/index.ts'
import { apiVersionOf, type ResourceDefinition, type WriteContext } from './definition.ts'

export interface TrackedWrite {
  readonly definition: ResourceDefinition
  readonly context: WriteContext
  /** The object as the client wants it, before the server adds what is its own: that is never tracked. */
  readonly submitted: KubeObject
  readonly stored?: KubeObject
  readonly subresource?: string
}

/** Sets the draft's `metadata.managedFields`. An apply has set them already. */
export function trackWrite(draft: KubeObject, write: TrackedWrite): void {
  const { definition, context, submitted, stored, subresource } = write
  if (context.applied) return
  const entries = trackedManagers(submitted, stored, trackingOf(definition, context, subresource))
  if (entries) draft.metadata.managedFields = entries
  else delete draft.metadata.managedFields
}

/** What tracking needs to know of a kind. */
export type TrackedKind = Pick<
  ResourceDefinition,
  'group' | 'version' | 'kind' | 'schema' | 'openApi' | 'hasStatus'
>

/** How the writes of a resource are tracked. */
export function trackingOf(
  definition: TrackedKind,
  { fieldManager, now }: Pick<WriteContext, 'fieldManager' | 'now'>,
  subresource?: string,
): Tracking {
  const { schema, kind, openApi } = definition
  const apiVersion = apiVersionOf(definition)
  const bare = { apiVersion, kind }
  return {
    manager: fieldManager,
    apiVersion,
    type: structType(schema ?? '') ?? customResourceType(openApi),
    blank: schema ? canonical(bare, schema) : bare,
    hasStatus: definition.hasStatus === true,
    now,
    ...(subresource ? { subresource } : {}),
  }
}
