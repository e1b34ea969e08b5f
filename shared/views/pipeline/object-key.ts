import { EvaluationError } from '../errors.ts'
import { excerpt, isObject, type Json, type JsonObject, member } from '../json/index.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: they separate the parts of row ids
const CONTROL = /[\u0000-\u001f]/

/**
 * Returns `namespace/name` of an object; the namespace is empty if there is none.
 * @throws EvaluationError if it has no usable metadata
 */
export function objectKey(object: JsonObject): string {
  const metadata = member(object, 'metadata')
  if (metadata === undefined) throw new EvaluationError('the object has no metadata')
  if (!isObject(metadata)) throw bad('metadata', 'a map', metadata)
  const name = member(metadata, 'name')
  if (name === undefined || name === null) throw new EvaluationError('the object has no metadata.name')
  if (typeof name !== 'string' || name === '' || CONTROL.test(name)) {
    throw bad('metadata.name', 'a text that is not empty and holds no control characters', name)
  }
  const namespace = member(metadata, 'namespace')
  if (namespace === undefined) return `/${name}`
  if (typeof namespace !== 'string' || CONTROL.test(namespace) || namespace.includes('/')) {
    throw bad('metadata.namespace', 'a text without slashes and control characters, or nothing', namespace)
  }
  return `${namespace}/${name}`
}

const bad = (field: string, expected: string, found: Json): EvaluationError =>
  new EvaluationError(`${field}: expected ${expected}, found ${excerpt(found)}`)
