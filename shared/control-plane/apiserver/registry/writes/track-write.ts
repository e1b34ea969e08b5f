import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { objectAt } from '../../../apimachinery/json/values.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import { type Tracking, trackedManagers } from '../../managed-fields/track.ts'
import { structType } from '../../managed-fields/types/struct-type.ts'
import { customResourceType } from '../../managed-fields/types/structural-type.ts'
import type { KindVersions } from '../../managed-fields/versions.ts'
import { canonical } from '../../schema/decode.ts'
import { apiVersionOf } from '../definition/names.ts'
import type { ResourceDefinition } from '../definition/resource-definition.ts'
import type { WriteContext } from '../definition/write-context.ts'
import type { ConvertNow } from '../replay.ts'

interface TrackedWrite {
  readonly definition: ResourceDefinition
  readonly context: WriteContext
  /** The object as the client wants it, before the server adds what is its own: that is never tracked. */
  readonly submitted: KubeObject
  readonly stored?: KubeObject
  readonly subresource?: string
  readonly convert?: ConvertNow | undefined
  readonly isOtherKind?: boolean
}

/** Sets the draft's `metadata.managedFields`. An apply has set them already. */
export function trackWrite(draft: KubeObject, write: TrackedWrite): void {
  const { definition, context, submitted, stored, ...path } = write
  if (context.applied) return
  const tracking = trackingOf(definition, context, path)
  const entries = trackedManagers(submitted, stored, tracking)
  if (entries) draft.metadata.managedFields = entries
  else delete draft.metadata.managedFields
}

/** Members of a kind that tracking needs. */
type TrackedKind = Pick<
  ResourceDefinition,
  'group' | 'version' | 'kind' | 'schema' | 'openApi' | 'hasStatus' | 'statusKeepsMetadata' | 'codec'
>

/** Path by which an object is written, and its form in other versions. */
interface TrackedPath {
  readonly subresource?: string | undefined
  readonly convert?: ConvertNow | undefined
  /** True of a subresource that is an object of another kind. */
  readonly isOtherKind?: boolean
}

/** Returns how the writes of a resource are tracked. */
export function trackingOf(
  definition: TrackedKind,
  { fieldManager, now }: Pick<WriteContext, 'fieldManager' | 'now'>,
  { subresource, convert, isOtherKind = false }: TrackedPath = {},
): Tracking {
  const { schema, kind, openApi, codec } = definition
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
    isOtherKind,
    isCustomResource: openApi !== undefined,
    statusKeepsMetadata: definition.statusKeepsMetadata ?? openApi !== undefined,
    ...(codec?.versions && convert ? { versions: versionsOf(codec.versions, convert) } : {}),
  }
}

function versionsOf(schemas: ReadonlyMap<string, JsonObject>, convert: ConvertNow): KindVersions {
  return {
    typeOf: (apiVersion) => {
      const schema = schemas.get(apiVersion)
      return schema && customResourceType(schema)
    },
    convert: (object, apiVersion) =>
      convert({ ...object, metadata: objectAt(object, 'metadata') }, apiVersion),
  }
}
