import { CelError } from '../errors.ts'

/** A value as expressions see it: integers are bigint, doubles number, bytes Uint8Array, lists arrays. */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | TypeValue
  | Optional
  | Opaque
  | CelMap
  | readonly CelValue[]

/** An unsigned integer of 64 bits. */
export class Uint {
  readonly value: bigint

  constructor(value: bigint) {
    this.value = value
  }
}

export class Timestamp {
  /** Since 1970, between the years 1 and 9999. */
  readonly nanoseconds: bigint
  /** Minutes east of UTC of the text that it was read from: only a text of it shows them. */
  readonly offset: number

  constructor(nanoseconds: bigint, offset = 0) {
    this.nanoseconds = nanoseconds
    this.offset = offset
  }
}

export class Duration {
  readonly nanoseconds: bigint

  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds
  }
}

/** Value of `type(x)`, and of names such as `int`. */
export class TypeValue {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** A value that may not be there: `optional.of(x)`, `optional.none()`. */
export class Optional {
  static readonly none = new Optional(undefined)
  readonly value: CelValue | undefined

  constructor(value: CelValue | undefined) {
    this.value = value
  }
}

/** A value of a type that only functions can read, as a quantity. */
export abstract class Opaque {
  /** Name of the type, as in `type(x)`. */
  abstract readonly typeName: string
  abstract equals(other: Opaque): boolean
  /** Size for the costs of functions. Default 1. */
  get size(): number {
    return 1
  }
}

/** A map, or an object with fields. */
export abstract class CelMap {
  abstract readonly size: number
  /** Undefined where there is no such key. */
  abstract get(key: CelValue): CelValue | undefined
  abstract keys(): CelValue[]
  /** The type of an object that an expression has made; undefined for maps. */
  get structName(): string | undefined {
    return undefined
  }
}

/** A map that an expression has made. */
export class LiteralMap extends CelMap {
  readonly #entries = new Map<string, readonly [key: CelValue, value: CelValue]>()
  readonly #structName: string | undefined

  constructor(entries: Iterable<readonly [key: CelValue, value: CelValue]> = [], structName?: string) {
    super()
    this.#structName = structName
    for (const [key, value] of entries) this.insert(key, value)
  }

  /** Adds an entry. Only the maker of the map may do so. Throws CelError for a value that cannot be a key. */
  insert(key: CelValue, value: CelValue): void {
    const id = keyId(key)
    if (id === undefined) throw new CelError(`unsupported key type: ${typeNameOf(key)}`)
    this.#entries.set(id, [key, value])
  }

  override get structName(): string | undefined {
    return this.#structName
  }

  override get size(): number {
    return this.#entries.size
  }

  override get(key: CelValue): CelValue | undefined {
    const id = keyId(key)
    return id === undefined ? undefined : this.#entries.get(id)?.[1]
  }

  override keys(): CelValue[] {
    return [...this.#entries.values()].map(([key]) => key)
  }
}

/** Returns the identity of a key: equal numbers of all types are the same key. */
function keyId(key: CelValue): string | undefined {
  if (typeof key === 'string') return `s${key}`
  if (typeof key === 'boolean') return `b${key}`
  if (typeof key === 'bigint') return `n${key}`
  if (key instanceof Uint) return `n${key.value}`
  return typeof key === 'number' && Number.isInteger(key) ? `n${BigInt(key)}` : undefined
}

/** Returns the name of a value's type, as in `type(x)`. */
export function typeNameOf(value: CelValue): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int'
    case 'number':
      return 'double'
    case 'string':
      return 'string'
  }
  if (value === null) return 'null_type'
  if (value instanceof Opaque) return value.typeName
  if (value instanceof CelMap) return value.structName ?? 'map'
  return CLASSES.find(([type]) => value instanceof type)?.[1] ?? 'list'
}

const CLASSES = [
  [Uint, 'uint'],
  [Timestamp, 'google.protobuf.Timestamp'],
  [Duration, 'google.protobuf.Duration'],
  [TypeValue, 'type'],
  [Optional, 'optional_type'],
  [Uint8Array, 'bytes'],
] as const

export function isList(value: CelValue): value is readonly CelValue[] {
  return Array.isArray(value)
}

/** Counts characters in place: texts of many megabytes are counted at every step of an expression. */
function codePointsIn(text: string): number {
  if (!LOW.test(text)) return text.length
  let pairs = 0
  for (let at = 1; at < text.length; at++) {
    if (isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))) pairs++
  }
  return text.length - pairs
}

/** Passes over texts without such pairs many times as fast as a loop. */
const LOW = /[\udc00-\udfff]/
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000

/** Returns the size for costs: characters, bytes, elements; 1 for everything else. */
export function sizeOf(value: CelValue): number {
  if (typeof value === 'string') return codePointsIn(value)
  if (value instanceof Uint8Array || isList(value)) return value.length
  if (value instanceof CelMap) return value.structName === undefined ? value.size : 1
  if (value instanceof Optional) return value.value === undefined ? 1 : sizeOf(value.value)
  return value instanceof Opaque ? value.size : 1
}
