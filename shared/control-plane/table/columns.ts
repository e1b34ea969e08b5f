import type { JsonValue } from '../json.ts'
import type { KubeObject } from '../objects.ts'
import type { Column, TableColumns } from '../registry/index.ts'
import definitions from './columns.json' with { type: 'json' }
import { ageOf } from './format.ts'

/** The table of a resource: its columns as recorded, its cells as the function makes them. */
export function tableOf(
  resource: keyof typeof definitions,
  cells: (object: KubeObject, now: number) => JsonValue[],
): TableColumns {
  const columns: readonly Column[] = definitions[resource]
  return { columns, cells }
}

/** The table of a resource without one of its own. */
export const nameAndAge: TableColumns = {
  columns: definitions.serviceaccounts,
  cells: (object, now) => [object.metadata.name ?? '', ageOf(object, now)],
}
