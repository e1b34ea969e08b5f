import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { apiVersionOf } from '../../registry/definition/names.ts'
import type { ResourceDefinition } from '../../registry/definition/resource-definition.ts'
import { itemOf } from '../watch/encoder.ts'
import type { ObjectList } from './list.ts'

/** Writes a list as JSON, from the texts in which its items are kept. */
export function listBody(definition: ResourceDefinition, { metadata, items }: ObjectList): string {
  const { listKind: kind = `${definition.kind}List`, codec } = definition
  const apiVersion = apiVersionOf(definition)
  if (codec) return sortedList({ kind, apiVersion }, metadata, items)
  const head = JSON.stringify({ kind, apiVersion, metadata })
  return `${head.slice(0, -1)},"items":[${items.map(itemOf).join(',')}]}`
}

/** Writes a list as of custom resources: members sorted, items with kinds, and always a `continue`. */
function sortedList(
  { kind, apiVersion }: { kind: string; apiVersion: string },
  metadata: ObjectList['metadata'],
  items: ObjectList['items'],
): string {
  const { continue: token = '', ...rest } = metadata
  const shown = items.map(({ json }) => json).join(',')
  const tail = JSON.stringify({ kind, metadata: sorted({ continue: token, ...rest }) })
  return `{"apiVersion":${JSON.stringify(apiVersion)},"items":[${shown}],${tail.slice(1)}`
}

function sorted(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)))
}
