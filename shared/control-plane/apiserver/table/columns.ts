import type { JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { Column, TableColumns } from '../registry/definition/table-columns.ts'
import recorded from './columns.json' with { type: 'json' }
import { ageOf } from './format.ts'

// Not the type of the JSON file: its declaration would import the file, which compilers of other packages
// refuse.
const definitions: Readonly<Record<string, readonly Column[]>> = recorded

/** Makes a resource's table: columns as recorded, cells by the function. Throws without such columns. */
export function tableOf(
  resource: string,
  cells: (object: KubeObject, now: number) => JsonValue[],
): TableColumns {
  const columns = definitions[resource]
  if (columns === undefined) throw new Error(`failed to find the columns of ${resource}: none are recorded`)
  return { columns, cells }
}

/** The table of a resource without one of its own. */
export const nameAndAge: TableColumns = {
  columns: recorded.serviceaccounts,
  cells: (object, now) => [object.metadata.name ?? '', ageOf(object, now)],
}
