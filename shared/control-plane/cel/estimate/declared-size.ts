import type { Schema } from '../../apiextensions/structural/schema.ts'
import { ownMember } from '../../apimachinery/json/values.ts'
import { celName } from '../values/names.ts'

/** Largest size of a schema's values, by its keywords or by the size of the largest request. */
export interface DeclaredSize {
  /** Characters of a text, items of a list, members of a map; 0 for all else. */
  readonly largest: bigint
  /** Bytes that the smallest value has as JSON. */
  readonly leastBytes: number
  /** Sizes of an object's fields, by their names in expressions. */
  readonly fields: ReadonlyMap<string, DeclaredSize>
  /** Size of a map's keys. */
  readonly keys: DeclaredSize | undefined
  /** Items of a list, members of a map. */
  readonly elements: DeclaredSize | undefined
}

/** The largest request, in bytes: upstream's constant, whatever a server takes. */
const LARGEST_REQUEST = 3 * 1024 * 1024
/** Bytes of `""`, `[]` and `{}`. */
const EMPTY = 2
/** Bytes of a value's member beside its name and its value: two quotes, a colon, a comma. */
const MEMBER = 4
/** `maxLength` counts characters, which have up to four bytes. */
const BYTES_OF_CHARACTER = 4
const LARGEST_TEXT = LARGEST_REQUEST - EMPTY

/** The largest and the least of texts of a format. */
const FORMATS: Readonly<Record<string, readonly [largest: number, leastBytes: number]>> = {
  duration: [32, 3],
  date: [12, 12],
  'date-time': [32, 21],
}

const NO_FIELDS: ReadonlyMap<string, DeclaredSize> = new Map()
const sizeOf = (largest: number, leastBytes: number, more: Partial<DeclaredSize> = {}): DeclaredSize => ({
  largest: BigInt(Math.max(0, Math.floor(largest))),
  leastBytes,
  fields: NO_FIELDS,
  keys: undefined,
  elements: undefined,
  ...more,
})

const ANY_TEXT = sizeOf(LARGEST_TEXT, EMPTY)
const KEY = sizeOf(0, EMPTY)

/** Computes the size; undefined for values that expressions cannot see. */
export function declaredSize(schema: Schema): DeclaredSize | undefined {
  if (schema.intOrString) return sizeOf(largestText(schema), 1)
  switch (schema.type) {
    case 'array':
      return listSize(schema)
    case 'object':
      return objectSize(schema)
    case 'string':
      return textSize(schema)
    case 'boolean':
      return sizeOf(0, 4)
    case 'number':
    case 'integer':
      return sizeOf(0, 1)
    default:
      return undefined
  }
}

function largestText({ limits: { maxLength } }: Schema): number {
  return maxLength === undefined ? LARGEST_TEXT : maxLength * BYTES_OF_CHARACTER
}

function textSize(schema: Schema): DeclaredSize {
  const { format, maxLength } = schema.limits
  const known = ownMember(FORMATS, format)
  if (known) return sizeOf(...known)
  if (format === 'byte') return sizeOf(maxLength ?? LARGEST_TEXT, EMPTY)
  if (maxLength !== undefined || !schema.enumeration?.length) return sizeOf(largestText(schema), EMPTY)
  const lengths = schema.enumeration.map((value) =>
    typeof value === 'string' ? Buffer.byteLength(value) : 0,
  )
  return sizeOf(Math.max(...lengths), EMPTY)
}

function listSize({ items, limits: { maxItems } }: Schema): DeclaredSize | undefined {
  const elements = items && declaredSize(items)
  if (!elements) return undefined
  return sizeOf(maxItems ?? LARGEST_TEXT / (elements.leastBytes + 1), EMPTY, { elements })
}

function objectSize(schema: Schema): DeclaredSize | undefined {
  const { additional, limits } = schema
  if (additional === undefined || additional === 'any') return structSize(schema)
  const elements = declaredSize(additional)
  if (!elements) return undefined
  const most = limits.maxProperties ?? LARGEST_TEXT / (elements.leastBytes + EMPTY + MEMBER)
  return sizeOf(most, EMPTY, { keys: KEY, elements })
}

function structSize({ properties, required, embedded }: Schema): DeclaredSize {
  const fields = new Map<string, DeclaredSize>()
  let leastBytes = EMPTY
  for (const [name, property] of properties) {
    const size = declaredSize(property)
    if (!size) continue
    const field = celName(name)
    if (field !== undefined) fields.set(field, size)
    const isWritten = required.includes(name) && property.defaultValue === undefined
    if (isWritten) leastBytes += Buffer.byteLength(name) + size.leastBytes + MEMBER
  }
  if (embedded) addMeta(fields)
  return sizeOf(0, leastBytes, { fields })
}

/** Adds the members that every object has, whether its schema names them or not. */
function addMeta(fields: Map<string, DeclaredSize>): void {
  for (const name of ['apiVersion', 'kind']) if (!fields.has(name)) fields.set(name, ANY_TEXT)
  const names = new Map([
    ['name', ANY_TEXT],
    ['generateName', ANY_TEXT],
  ])
  const { fields: declared = NO_FIELDS, leastBytes = EMPTY } = fields.get('metadata') ?? {}
  fields.set('metadata', sizeOf(0, leastBytes, { fields: new Map([...names, ...declared]) }))
}

/** Returns how many values of that size a request can have at most, with a comma behind each. */
export const mostValues = ({ leastBytes }: DeclaredSize): bigint =>
  BigInt(Math.floor(LARGEST_REQUEST / (leastBytes + 1)))

/** Returns the size at a path from `self`; its first step is the variable, undefined if not declared. */
export function sizeAt(root: DeclaredSize, path: readonly string[]): bigint | undefined {
  if (path.length === 0) return undefined
  let current: DeclaredSize | undefined = root
  for (const step of path.slice(1)) {
    current = stepInto(current, step)
    if (!current) return undefined
  }
  return current.largest
}

/** Steps of paths that are no fields. */
export const ITEMS = '@items'
export const KEYS = '@keys'
export const VALUES = '@values'
export const INDICES = '@indices'

function stepInto({ fields, keys, elements }: DeclaredSize, step: string): DeclaredSize | undefined {
  if (step === ITEMS || step === VALUES) return elements
  return step === KEYS ? keys : fields.get(step)
}
