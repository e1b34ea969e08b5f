import type { ResourceDefinition, Subresource } from '../../registry/index.ts'
import { subresourceSchemaName } from '../schemas/index.ts'
import type { RouteKind } from './route.ts'
import { isBuiltIn } from './style.ts'

/** A subresource as routes need it. */
export interface RoutedSubresource {
  readonly name: string
  readonly verbs: readonly ('create' | 'get' | 'patch' | 'update')[]
  readonly kind: RouteKind
  /** Name of the schema of its bodies and answers. */
  readonly schema: string
}

const STATUS: Subresource = { kind: '', verbs: ['get', 'patch', 'update'] }

/** Returns the subresources of a resource, with `status` if it has one. */
export function subresourcesOf(definition: ResourceDefinition): RoutedSubresource[] {
  const { group, version, kind, hasStatus, subresources = {} } = definition
  const all = hasStatus ? { status: STATUS, ...subresources } : subresources
  return Object.entries(all).map(([name, subresource]) => ({
    name,
    verbs: subresource.verbs,
    schema: subresourceSchemaName(definition, subresource),
    kind:
      isBuiltIn(definition) && subresource.kind !== ''
        ? {
            group: subresource.group ?? group,
            version: subresource.version ?? version,
            kind: subresource.kind,
          }
        : { group, version, kind },
  }))
}
