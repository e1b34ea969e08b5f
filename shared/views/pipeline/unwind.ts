import { EvaluationError } from '../errors.ts'
import { excerpt, isList, isObject, type Json, member } from '../json/index.ts'
import { type Path, readPath, writePath } from '../jsonpath/index.ts'
import { elementOf, type Row } from './row.ts'

/**
 * Makes a row for each element of the list at the path, named `<name>-<index>`; none if there is no list at
 * all.
 */
export function unwind(path: Path, row: Row): readonly Row[] {
  const list = readPath(path, row.value) ?? null
  if (list === null) return []
  if (!isList(list)) throw new EvaluationError(`expected a list, found ${excerpt(list)}`)
  if (list.length === 0) return []
  const name = nameOf(row.value)
  return list.map((item, index) => {
    const value = writePath(row.value, path, item)
    return elementOf(row, index, renamed(value, `${name}-${index}`))
  })
}

function nameOf(value: Json): string {
  const metadata = isObject(value) ? member(value, 'metadata') : undefined
  const name = isObject(metadata) ? member(metadata, 'name') : undefined
  if (typeof name === 'string' && name !== '') return name
  throw new EvaluationError(`expected a text in metadata.name, found ${excerpt(name ?? null)}`)
}

function renamed(value: Json, name: string): Json {
  const object = isObject(value) ? value : {}
  const metadata = member(object, 'metadata')
  return { ...object, metadata: { ...(isObject(metadata) ? metadata : {}), name } }
}
