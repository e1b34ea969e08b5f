import { badRequest, entityTooLarge, unprocessable } from '../../apimachinery/errors/factories.ts'
import {
  type JsonObject,
  type JsonValue,
  jsonText,
  parseJson,
} from '../../apimachinery/json/exact-numbers.ts'
import { isObject, ownMember, sameJson, setMember } from '../../apimachinery/json/values.ts'
import { goValueName } from '../schema/go-types.ts'

/** More operations than this are refused, as by the real server. */
const MAXIMUM_OPERATIONS = 10_000

/**
 * Bytes of JSON that the `copy` operations of a patch may add, as by the real server: each of thirty may
 * double what the one before made.
 */
const MAXIMUM_COPIED_BYTES = 3 * 1024 * 1024

/** An operation cannot be applied: why, in the words of upstream's library (evanphx/json-patch). */
export class JsonPatchError extends Error {
  override readonly name = 'JsonPatchError'
}

/**
 * Applies a JSON patch (RFC 6902). It differs from the RFC as the library of the real server does: `replace`
 * of a member that does not exist adds it. Throws a 422 without details when an operation cannot be applied,
 * or copies too much.
 */
export function jsonPatch(target: JsonValue, patch: JsonValue): JsonValue {
  if (!Array.isArray(patch)) {
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${goValueName(patch)} into Go value of type []handlers.jsonPatchOp`,
    )
  }
  if (patch.length > MAXIMUM_OPERATIONS) {
    throw entityTooLarge(
      `The allowed maximum operations in a JSON patch is ${MAXIMUM_OPERATIONS}, got ${patch.length}`,
    )
  }
  try {
    return applyJsonPatch(target, patch)
  } catch (error) {
    if (error instanceof JsonPatchError) throw unprocessable()
    throw error
  }
}

/** Applies operations known to be a list. Throws JsonPatchError for the first that cannot be applied. */
export function applyJsonPatch(target: JsonValue, operations: readonly JsonValue[]): JsonValue {
  const copied = new CopiedBytes()
  return operations.reduce<JsonValue>(
    (document, operation) => applyOperation(document, operation, copied),
    structuredClone(target),
  )
}

/** Returns the index of the first operation that cannot be applied; undefined if all can be. */
export function failingOperation(target: JsonValue, patch: readonly JsonValue[]): number | undefined {
  const copied = new CopiedBytes()
  let document = structuredClone(target)
  for (const [index, operation] of patch.entries()) {
    try {
      document = applyOperation(document, operation, copied)
    } catch (error) {
      if (error instanceof JsonPatchError) return index
      throw error
    }
  }
  return undefined
}

/** Bytes that the `copy` operations of one patch have added so far. */
class CopiedBytes {
  #bytes = 0

  copyOf(value: JsonValue): JsonValue {
    const text = jsonText(value)
    this.#bytes += Buffer.byteLength(text)
    if (this.#bytes > MAXIMUM_COPIED_BYTES) {
      throw new JsonPatchError(
        `Unable to copy, the accumulated size increase of copy is ${this.#bytes}, exceeding the limit ${MAXIMUM_COPIED_BYTES}`,
      )
    }
    return parseJson(text)
  }
}

function applyOperation(document: JsonValue, operation: JsonValue, copied: CopiedBytes): JsonValue {
  if (!isObject(operation)) throw new JsonPatchError('Unexpected kind: unknown')
  const { op } = operation
  const value = operation.value ?? null
  switch (op) {
    case 'add':
      return add(document, pathOf(operation, op), value)
    case 'remove':
      return remove(document, pathOf(operation, op))
    case 'replace':
      return replace(document, pathOf(operation, op), value)
    case 'move': {
      const from = fromOf(operation, op)
      const moved = read(document, from, op)
      return add(remove(document, from), pathOf(operation, op), moved)
    }
    case 'copy': {
      const from = read(document, fromOf(operation, op), op)
      return add(document, pathOf(operation, op), copied.copyOf(from))
    }
    case 'test': {
      const path = pathOf(operation, op)
      if (sameJson(readOrNull(document, path), value)) return document
      throw new JsonPatchError(`testing value ${path.text} failed: test failed`)
    }
    default:
      throw new JsonPatchError(`Unexpected kind: ${typeof op === 'string' ? op : 'unknown'}`)
  }
}

/** A JSON pointer (RFC 6901); as for upstream's library, what is before its first slash does not count. */
interface Pointer {
  readonly text: string
  /** The way to what holds the value. */
  readonly parents: readonly string[]
  /** Undefined for the whole document. */
  readonly key: string | undefined
}

/** Upstream reports a missing path more exactly for some operations than for others. */
const TELLS_MORE = new Set(['replace', 'move', 'test'])

function pathOf({ path }: JsonObject, op: string): Pointer {
  const more = TELLS_MORE.has(op) ? 'operation missing path field: ' : ''
  return pointer(path, `${op} operation failed to decode path: ${more}missing value`)
}

function fromOf({ from }: JsonObject, op: string): Pointer {
  return pointer(from, `${op} operation failed to decode from: operation, missing from field: missing value`)
}

function pointer(text: JsonValue | undefined, whatIsMissing: string): Pointer {
  if (typeof text !== 'string' || (text !== '' && !text.includes('/')))
    throw new JsonPatchError(whatIsMissing)
  const keys = text
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return { text, parents: keys.slice(0, -1), key: keys.at(-1) }
}

function child(parent: JsonValue, key: string): JsonValue | undefined {
  if (Array.isArray(parent)) return parent[indexIn(parent, key, parent.length - 1)]
  return isObject(parent) ? ownMember(parent, key) : undefined
}

function indexIn(list: JsonValue[], key: string, maximum: number): number {
  const index = /^-?\d+$/.test(key) ? Number(key) : Number.NaN
  const from = index < 0 ? list.length + index : index
  if (!(from >= 0 && from <= maximum))
    throw new JsonPatchError(`Unable to access invalid index: ${key}: invalid index referenced`)
  return from
}

type Container = JsonValue[] | JsonObject

/** Returns what holds the pointer's value. Throws JsonPatchError with the text if there is no such place. */
function containerOf(document: JsonValue, { parents }: Pointer, missing: string): Container {
  const found = parents.reduce<JsonValue | undefined>(
    (at, key) => (at === undefined ? at : child(at, key)),
    document,
  )
  if (Array.isArray(found) || isObject(found)) return found
  throw new JsonPatchError(`${missing}: missing value`)
}

function read(document: JsonValue, from: Pointer, operation: 'move' | 'copy'): JsonValue {
  const missing = `${operation} operation does not apply: doc is missing from path: ${from.text}`
  if (from.key === undefined) throw new JsonPatchError(`${missing}: missing value`)
  const value = child(containerOf(document, from, missing), from.key)
  if (value === undefined) throw new JsonPatchError(`${missing}: missing value`)
  return value
}

function readOrNull(document: JsonValue, path: Pointer): JsonValue {
  if (path.key === undefined) return document
  const missing = `test operation does not apply: is missing path: ${path.text}`
  return child(containerOf(document, path, missing), path.key) ?? null
}

function add(document: JsonValue, path: Pointer, value: JsonValue): JsonValue {
  const { key, text } = path
  const missing = `add operation does not apply: doc is missing path: "${text}"`
  // Upstream's library replaces the whole document, and does nothing else with it.
  if (key === undefined) throw new JsonPatchError(`${missing}: missing value`)
  const parent = containerOf(document, path, missing)
  if (!Array.isArray(parent)) setMember(parent, key, value)
  else {
    const index = key === '-' ? parent.length : within('add', text, () => indexIn(parent, key, parent.length))
    parent.splice(index, 0, value)
  }
  return document
}

function replace(document: JsonValue, path: Pointer, value: JsonValue): JsonValue {
  const { key, text } = path
  if (key === undefined) return value
  const parent = containerOf(document, path, `replace operation does not apply: doc is missing path: ${text}`)
  if (Array.isArray(parent)) parent[indexIn(parent, key, parent.length - 1)] = value
  else setMember(parent, key, value)
  return document
}

function remove(document: JsonValue, path: Pointer): JsonValue {
  const { key, text } = path
  const missing = `remove operation does not apply: doc is missing path: "${text}"`
  if (key === undefined) throw new JsonPatchError(`${missing}: missing value`)
  const parent = containerOf(document, path, missing)
  within('remove', text, () => {
    if (Array.isArray(parent)) parent.splice(indexIn(parent, key, parent.length - 1), 1)
    else if (Object.hasOwn(parent, key)) delete parent[key]
    else throw new JsonPatchError(`Unable to remove nonexistent key: ${key}: missing value`)
  })
  return document
}

/** Says in which operation it was that something failed. */
function within<T>(operation: string, path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error
    throw new JsonPatchError(`error in ${operation} for path: '${path}': ${error.message}`)
  }
}
