import type { JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { Column, TableColumns } from '../registry/definition/table-columns.ts'
import recorded from './columns.json' with { type: 'json' }
import { ageOf } from './format.ts'

// Not the type of the JSON file: its declaration would import the file, which compilers of other packages
// refuse.
const definitions: Readonly<Record<string, readonly Column[]>> = recorded

type Cells = Readonly<Record<string, JsonValue>>

/** Cells by their columns' names, of any table that has these columns. */
const COMMON: Readonly<Record<string, (object: KubeObject, now: number) => JsonValue>> = {
  Name: ({ metadata }) => metadata.name ?? '',
  Age: ageOf,
  'Created At': ({ metadata }) => metadata.creationTimestamp ?? null,
}

/**
 * Makes a resource's table: columns as recorded, cells by their columns' names. Throws without such columns.
 * @param cells those that not every table has
 */
export function tableOf(
  resource: string,
  cells: (object: KubeObject, now: number) => Cells = () => ({}),
): TableColumns {
  const columns = definitions[resource]
  if (columns === undefined) throw new Error(`failed to find the columns of ${resource}: none are recorded`)
  return {
    columns,
    cells: (object, now) => {
      const own = cells(object, now)
      return columns.map(({ name }) => own[name] ?? COMMON[name]?.(object, now) ?? null)
    },
  }
}

/** The table of a resource without one of its own. */
export const nameAndAge: TableColumns = tableOf('serviceaccounts')
