import { ApiError, badRequest, entityTooLarge, unprocessable } from '../errors/index.ts'
import { isObject, type JsonValue, ownMember, sameJson, setMember } from '../json.ts'
import { goValueName } from '../schema/index.ts'

/** More operations than this are refused, as by the real server. */
const MAXIMUM_OPERATIONS = 10_000

/** Bytes of JSON that the `copy` operations of a patch may add, as by the real server: each of thirty may double what the one before made. */
const MAXIMUM_COPIED_BYTES = 3 * 1024 * 1024

/**
 * RFC 6902. Differs from it where the library of the real server does: `replace` of a member that does not exist adds it. Throws a 422
 * without details when an operation cannot be applied, or copies too much.
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
  const copied = new CopiedBytes()
  return patch.reduce<JsonValue>(
    (document, operation) => applyOperation(document, operation, copied),
    structuredClone(target),
  )
}

/** The index of the operation that cannot be applied after those before it; undefined where all can be. */
export function failingOperation(target: JsonValue, patch: readonly JsonValue[]): number | undefined {
  const copied = new CopiedBytes()
  let document = structuredClone(target)
  for (const [index, operation] of patch.entries()) {
    try {
      document = applyOperation(document, operation, copied)
    } catch (error) {
      if (error instanceof ApiError) return index
      throw error
    }
  }
  return undefined
}

/** What the `copy` operations of one patch have added so far. */
class CopiedBytes {
  #bytes = 0

  copyOf(value: JsonValue): JsonValue {
    const text = JSON.stringify(value)
    this.#bytes += Buffer.byteLength(text)
    if (this.#bytes > MAXIMUM_COPIED_BYTES) throw unprocessable()
    return JSON.parse(text)
  }
}

function applyOperation(document: JsonValue, operation: JsonValue, copied: CopiedBytes): JsonValue {
  if (!isObject(operation)) throw unprocessable()
  const path = pointer(operation.path)
  const value = operation.value ?? null
  switch (operation.op) {
    case 'add':
      return add(document, path, value)
    case 'remove':
      return remove(document, path)
    case 'replace':
      return replace(document, path, value)
    case 'move': {
      const from = pointer(operation.from)
      const moved = read(document, from)
      return add(remove(document, from), path, moved)
    }
    case 'copy':
      return add(document, path, copied.copyOf(read(document, pointer(operation.from))))
    case 'test':
      if (!sameJson(readOrNull(document, path), value)) throw unprocessable()
      return document
    default:
      throw unprocessable()
  }
}

function pointer(text: JsonValue | undefined): string[] {
  if (typeof text !== 'string' || (text !== '' && !text.startsWith('/'))) throw unprocessable()
  return text
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function child(parent: JsonValue, key: string): JsonValue | undefined {
  if (Array.isArray(parent)) return parent[indexIn(parent, key, parent.length - 1)]
  return isObject(parent) ? ownMember(parent, key) : undefined
}

function indexIn(list: JsonValue[], key: string, maximum: number): number {
  const index = /^-?\d+$/.test(key) ? Number(key) : Number.NaN
  const from = index < 0 ? list.length + index : index
  if (!(from >= 0 && from <= maximum)) throw unprocessable()
  return from
}

function read(document: JsonValue, path: readonly string[]): JsonValue {
  const value = path.reduce<JsonValue | undefined>(
    (at, key) => (at === undefined ? at : child(at, key)),
    document,
  )
  if (value === undefined) throw unprocessable()
  return value
}

function readOrNull(document: JsonValue, path: readonly string[]): JsonValue {
  const parent = read(document, path.slice(0, -1))
  return path.length === 0 ? document : (child(parent, path.at(-1) ?? '') ?? null)
}

function add(document: JsonValue, path: readonly string[], value: JsonValue): JsonValue {
  const key = path.at(-1)
  if (key === undefined) return value
  const parent = read(document, path.slice(0, -1))
  if (Array.isArray(parent)) {
    parent.splice(key === '-' ? parent.length : indexIn(parent, key, parent.length), 0, value)
  } else if (isObject(parent)) setMember(parent, key, value)
  else throw unprocessable()
  return document
}

function replace(document: JsonValue, path: readonly string[], value: JsonValue): JsonValue {
  const key = path.at(-1)
  if (key === undefined) return value
  const parent = read(document, path.slice(0, -1))
  if (Array.isArray(parent)) parent[indexIn(parent, key, parent.length - 1)] = value
  else if (isObject(parent)) setMember(parent, key, value)
  else throw unprocessable()
  return document
}

function remove(document: JsonValue, path: readonly string[]): JsonValue {
  const key = path.at(-1)
  if (key === undefined) throw unprocessable()
  const parent = read(document, path.slice(0, -1))
  if (Array.isArray(parent)) parent.splice(indexIn(parent, key, parent.length - 1), 1)
  else if (isObject(parent) && Object.hasOwn(parent, key)) delete parent[key]
  else throw unprocessable()
  return document
}
