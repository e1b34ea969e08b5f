import type { JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import table from './kubernetes.json' with { type: 'json' }

export type Scalar =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'float64'
  | 'bytes'
  | 'time'
  | 'microtime'
  | 'quantity'
  | 'intstr'
  | 'any'
  | 'schemaOrBool'
  | 'schemaOrArray'
  | 'schemaOrStrings'

/** `goName` is the name of the Go type, where it has one of its own: `v1.RestartPolicy` is a string. */
export type FieldType =
  | { readonly kind: 'scalar'; readonly scalar: Scalar; readonly goName?: string }
  | { readonly kind: 'struct'; readonly name: string }
  | { readonly kind: 'pointer'; readonly element: FieldType }
  | { readonly kind: 'list' | 'map'; readonly element: FieldType; readonly goName?: string }

/** One JSON field of a Go struct. */
export interface Field {
  readonly name: string
  readonly type: FieldType
  /** Structs that Go has around the field and JSON has not, as `VolumeSource`; empty for most. */
  readonly inlined: string
  readonly omitEmpty: boolean
  readonly omitZero: boolean
  /** `merge`, `replace`, `retainKeys`: how a strategic merge patch treats the field. */
  readonly patchStrategies: readonly string[]
  readonly mergeKey: string | undefined
  readonly list: 'map' | 'set' | 'atomic' | undefined
  readonly keys: readonly string[]
  readonly atomic: boolean
  readonly default: JsonValue | undefined
  /** Its number in protobuf, after those of messages that JSON inlines; empty if protobuf lacks it. */
  readonly numbers: readonly number[]
}

export interface Struct {
  /** Package and type, as `core.PodSpec`. */
  readonly name: string
  readonly atomic: boolean
  readonly fields: readonly Field[]
  readonly byName: ReadonlyMap<string, Field>
}

const rows: Record<string, readonly string[] | undefined> = table
const parsed = new Map<string, Struct>()

/** Returns the struct of that name, if the table has it; parsed once, as the table never changes. */
export function structOf(name: string): Struct | undefined {
  const known = parsed.get(name)
  if (known) return known
  const row = rows[name]
  if (!row) return undefined
  const fields = row.filter((line) => !line.startsWith('@')).map(parseField)
  const struct = {
    name,
    atomic: row.includes('@atomic'),
    fields,
    byName: new Map(fields.map((field) => [field.name, field])),
  }
  parsed.set(name, struct)
  return struct
}

function parseField(line: string): Field {
  const [flagged = '', type = '', ...tags] = line.split(' ')
  const tag = (name: string) => tags.find((item) => item.startsWith(`${name}:`))?.slice(name.length + 1)
  const name = flagged.replace(/[?!]+$/, '')
  const list = tag('list')
  const defaultText = tag('default')
  return {
    name,
    type: parseType(type, tag('go')),
    inlined: tag('in') ?? '',
    omitEmpty: flagged.includes('?'),
    omitZero: flagged.includes('!'),
    patchStrategies: tag('patch')?.split(',') ?? [],
    mergeKey: tag('key'),
    list: list === 'map' || list === 'set' || list === 'atomic' ? list : undefined,
    keys: tag('keys')?.split(',') ?? [],
    atomic: tags.includes('atomic'),
    default: defaultText?.startsWith('"') ? defaultText.slice(1, -1) : undefined,
    numbers: tags.flatMap((item) => (item.startsWith('@') ? item.slice(1).split('.').map(Number) : [])),
  }
}

function parseType(text: string, goName: string | undefined): FieldType {
  const named = goName === undefined ? {} : { goName }
  if (text.startsWith('*')) return { kind: 'pointer', element: parseType(text.slice(1), goName) }
  const kind = COLLECTIONS[text.slice(0, 2)]
  if (kind) {
    const inner = text.slice(2)
    const around = kind === 'list' ? '[]' : 'map[string]'
    return goName?.startsWith(around)
      ? { kind, element: parseType(inner, goName.slice(around.length)) }
      : { kind, element: parseType(inner, undefined), ...named }
  }
  if (text.includes('.')) return { kind: 'struct', name: text }
  return { kind: 'scalar', scalar: text as Scalar, ...named }
}

const COLLECTIONS: Readonly<Record<string, 'list' | 'map' | undefined>> = { '[]': 'list', '{}': 'map' }

/** Returns the type without pointers. */
export function pointee(type: FieldType): FieldType {
  return type.kind === 'pointer' ? pointee(type.element) : type
}
