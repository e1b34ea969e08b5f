import type { Json, JsonObject } from '../json/index.ts'

/**
 * A value on its way through a pipeline. The id says where a row comes from: the objects joined and the list
 * elements unwound, or the group gathered. The same sources give the same ids, whatever happened before.
 */
export interface Row {
  readonly id: string
  readonly value: Json
  readonly origins: readonly Origin[]
}

/** Origin of a row: an object of each source, and an index for each `@unwind` passed. */
export interface Origin {
  /** Keys of objects, in the order of the sources. */
  readonly objects: readonly string[]
  readonly indexes: readonly number[]
}

/** A row that is about to be gathered. */
export interface Member extends Row {
  readonly group: string
  readonly item: Json
}

/** A row that has come to the end: an object for the target. */
export interface Result extends Row {
  readonly value: JsonObject
  /** `namespace/name` of the object. */
  readonly key: string
}

/** A row that a step could not take. Nothing else of its input goes on; all other rows do. */
export interface Failure {
  /** The step's number in the pipeline, from 0. */
  readonly step: number
  readonly op: string
  readonly message: string
  /** The row that entered the steps of which one failed. */
  readonly row: Row
}

/** Row ids hold these signs; names of objects may not. */
const ID_SEPARATOR = '\u0000'
const INDEX_MARK = '\u0001'
/** Ids are compared as texts, and a later element shall win over an earlier one. */
const INDEX_DIGITS = 9

export const rowOf = (objects: readonly string[], value: Json): Row => ({
  id: objects.join(ID_SEPARATOR),
  value,
  origins: [{ objects, indexes: [] }],
})

export const elementOf = (row: Row, index: number, value: Json): Row => ({
  id: `${row.id}${INDEX_MARK}${String(index).padStart(INDEX_DIGITS, '0')}`,
  value,
  origins: row.origins.map(({ objects, indexes }) => ({ objects, indexes: [...indexes, index] })),
})
