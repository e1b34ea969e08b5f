import { typeName } from '../errors.ts'
import type { ObjectMeta } from '../types.ts'

/** A fault of an object: a path, and why the value there cannot be read. */
export type Fault = string | undefined
export type Fields<T> = { readonly [Key in keyof T]?: unknown }

export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const wrong = (path: string, expected: string, value: unknown): string =>
  `${path}: expected ${expected}, got ${typeName(value)}`

// Each of these takes an absent value for a good one. A path comes in two parts, which are put together only
// where something is wrong: every object of every sync is checked.
export const notText = (value: unknown, path: string, field = ''): Fault =>
  isAbsent(value) || typeof value === 'string' ? undefined : wrong(`${path}${field}`, 'a string', value)
export const notNumber = (value: unknown, path: string, field = ''): Fault =>
  isAbsent(value) || typeof value === 'number' ? undefined : wrong(`${path}${field}`, 'a number', value)
export const notObject = (value: unknown, path: string, field = ''): Fault =>
  isAbsent(value) || isRecord(value) ? undefined : wrong(`${path}${field}`, 'an object', value)
const notTimestamp = (value: unknown, path: string): Fault =>
  isAbsent(value) || typeof value === 'string' || (value instanceof Date && !Number.isNaN(value.getTime()))
    ? undefined
    : wrong(path, 'an RFC 3339 string or a Date', value)

export function notTextMap(value: unknown, path: string): Fault {
  if (isAbsent(value)) return undefined
  if (!isRecord(value)) return wrong(path, 'a map of strings', value)
  for (const key of Object.keys(value))
    if (typeof value[key] !== 'string')
      return wrong(`${path}[${JSON.stringify(key)}]`, 'a string', value[key])
  return undefined
}

/** Returns the fault of a list or of the first of its items that has one. */
export function listFault(
  list: unknown,
  path: string,
  itemFault: (item: unknown, path: string) => Fault = notItem,
  field = '',
): Fault {
  if (isAbsent(list)) return undefined
  if (!Array.isArray(list)) return wrong(`${path}${field}`, 'a list', list)
  for (let index = 0; index < list.length; index++) {
    const item: unknown = list[index]
    if (itemFault(item, '') !== undefined) return itemFault(item, `${path}${field}[${index}]`)
  }
  return undefined
}
export const notItem = (item: unknown, path: string): Fault =>
  isRecord(item) ? undefined : wrong(path, 'an object', item)
export const notTextItem = (item: unknown, path: string): Fault =>
  typeof item === 'string' ? undefined : wrong(path, 'a string', item)

/** Returns the fault of metadata. Every object is reached by its name, so it must have one. */
export function metadataFault(metadata: unknown): Fault {
  if (!isRecord(metadata)) return wrong('metadata', 'an object', metadata)
  const { name, namespace, uid, creationTimestamp, deletionTimestamp }: Fields<ObjectMeta> = metadata
  if (isAbsent(name) || name === '') return 'metadata.name is missing'
  return (
    notText(name, 'metadata.name') ??
    notText(namespace, 'metadata.namespace') ??
    notText(uid, 'metadata.uid') ??
    notTimestamp(creationTimestamp, 'metadata.creationTimestamp') ??
    notTimestamp(deletionTimestamp, 'metadata.deletionTimestamp')
  )
}

export const labelsFault = ({ labels, annotations }: ObjectMeta): Fault =>
  notTextMap(labels, 'metadata.labels') ?? notTextMap(annotations, 'metadata.annotations')
