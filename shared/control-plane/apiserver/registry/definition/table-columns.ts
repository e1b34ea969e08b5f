import type { JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'

export interface Column {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
}

/** Columns in which `kubectl get` shows a resource. */
export interface TableColumns {
  readonly columns: readonly Column[]
  /** Returns one cell for each column. `now` is in milliseconds since 1970. */
  cells(object: KubeObject, now: number): JsonValue[]
  /** The order of a list's rows. Default: that of the list. */
  readonly compare?: (a: KubeObject, b: KubeObject) => number
  /** Whether a table without rows says null, as upstream's apiextensions do, instead of an empty list. */
  readonly nullWithoutRows?: boolean
}
