import { memberSchema, type Schema } from '../../apiextensions/structural/schema.ts'
import { integerOf, type JsonObject, type JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isInteger, isNumber, isObject, ownMember, setMember } from '../../apimachinery/json/values.ts'
import { CelError } from '../errors.ts'
import { celName, propertyName } from './names.ts'
import { SchemaList } from './schema-list.ts'
import { durationText, parseDuration, parseTimestamp, timestampText } from './time.ts'
import { CelMap, type CelValue, Duration, isList, Timestamp, typeNameOf, Uint } from './value.ts'

/**
 * Returns a JSON value as expressions see it. Members of objects are converted when they are asked for. With
 * the schema of a custom resource, properties have their escaped names, and texts with a format are times,
 * durations and bytes.
 */
export function fromJson(value: JsonValue | undefined, schema?: Schema): CelValue {
  if (value === undefined || value === null) return null
  if (Array.isArray(value)) return listOf(value, schema)
  if (isObject(value)) return new JsonMap(value, schema)
  if (isNumber(value)) return numberOf(value, schema)
  return typeof value === 'string' ? textOf(value, schema) : value
}

function listOf(list: readonly JsonValue[], schema: Schema | undefined): CelValue {
  const items = list.map((item) => fromJson(item, schema?.items))
  if (!schema || schema.listType === 'atomic') return items
  return new SchemaList(items, schema.listType === 'map' ? schema.listKeys : undefined)
}

/** Converts a number. Without a schema, whole numbers are integers; a field of type `number` is a double. */
function numberOf(value: number | bigint, schema: Schema | undefined): CelValue {
  if (schema?.type === 'number') return Number(value)
  return isInteger(value) ? BigInt(value) : value
}

function textOf(text: string, schema: Schema | undefined): CelValue {
  const read = READERS.get(schema?.limits.format ?? '')
  if (!read) return text
  try {
    return read(text)
  } catch (error) {
    if (error instanceof CelError) return text
    throw error
  }
}

const READERS: ReadonlyMap<string, (text: string) => CelValue> = new Map<string, (text: string) => CelValue>([
  ['date', (text) => parseTimestamp(`${text}T00:00:00Z`)],
  ['date-time', (text) => parseTimestamp(text.toUpperCase())],
  ['duration', parseDuration],
  ['byte', (text) => new Uint8Array(Buffer.from(text, 'base64'))],
])

class JsonMap extends CelMap {
  readonly #object: JsonObject
  readonly #schema: Schema | undefined
  readonly #made = new Map<string, CelValue>()

  constructor(object: JsonObject, schema: Schema | undefined) {
    super()
    this.#object = object
    this.#schema = schema
  }

  override get size(): number {
    return this.#names().length
  }

  override get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') return undefined
    const name = this.#property(key)
    const member = ownMember(this.#object, name)
    if (member === undefined || !this.#has(name)) return undefined
    const made = this.#made.get(name) ?? fromJson(member, memberSchema(this.#schema, name))
    this.#made.set(name, made)
    return made
  }

  override keys(): CelValue[] {
    return this.#names().map((name) => (this.#schema?.properties.has(name) ? (celName(name) ?? name) : name))
  }

  #names(): string[] {
    return Object.keys(this.#object).filter((name) => this.#has(name))
  }

  /** Reports whether there is a field. A declared one that is null counts as absent. */
  #has(name: string): boolean {
    const value = this.#object[name]
    return value !== undefined && (value !== null || !this.#schema?.properties.has(name))
  }

  #property(key: string): string {
    const { properties } = this.#schema ?? {}
    if (!properties || properties.size === 0) return key
    const name = propertyName(key)
    return properties.has(name) ? name : key
  }
}

/** Throws CelError where a value has no JSON form. */
export function toJson(value: CelValue): JsonValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'bigint') return integerOf(value)
  if (typeof value === 'number') return value
  if (isList(value)) return value.map(toJson)
  if (value instanceof CelMap) return mapToJson(value)
  const text = textFor(value)
  if (text === undefined) throw new CelError(`type conversion error from '${typeNameOf(value)}' to JSON`)
  return text
}

function mapToJson(map: CelMap): JsonObject {
  const object: JsonObject = {}
  for (const key of map.keys()) {
    if (typeof key !== 'string') throw new CelError(`unsupported type conversion of key ${typeNameOf(key)}`)
    setMember(object, key, toJson(map.get(key) ?? null))
  }
  return object
}

function textFor(value: Exclude<CelValue, null>): JsonValue | undefined {
  if (value instanceof Uint) return integerOf(value.value)
  if (value instanceof Timestamp) return timestampText(value)
  if (value instanceof Duration) return durationText(value)
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : undefined
}
