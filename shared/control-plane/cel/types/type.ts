/** Type of an expression's value, as far as it is known before evaluation. */
export type Type =
  | { readonly kind: 'primitive'; readonly name: Primitive }
  | { readonly kind: 'dyn' | 'error' | 'null' }
  | { readonly kind: 'param'; readonly name: string }
  | { readonly kind: 'list'; readonly element: Type }
  | { readonly kind: 'map'; readonly key: Type; readonly value: Type }
  | { readonly kind: 'type'; readonly of: Type }
  | { readonly kind: 'struct'; readonly name: string }
  /** Types such as optionals and quantities, which only functions can read. */
  | { readonly kind: 'opaque'; readonly name: string; readonly params: readonly Type[] }

type Primitive = 'bool' | 'bytes' | 'double' | 'int' | 'string' | 'uint' | 'timestamp' | 'duration'
type PrimitiveType = Extract<Type, { readonly kind: 'primitive' }>

const primitive = (name: Primitive): PrimitiveType => ({ kind: 'primitive', name })

export const BOOL = primitive('bool')
export const BYTES = primitive('bytes')
export const DOUBLE = primitive('double')
export const INT = primitive('int')
export const STRING = primitive('string')
export const UINT = primitive('uint')
export const TIMESTAMP = primitive('timestamp')
export const DURATION = primitive('duration')
const named = (types: readonly PrimitiveType[]): [string, Type][] => types.map((type) => [type.name, type])
const CONSTANTS = named([BOOL, BYTES, DOUBLE, INT, STRING, UINT])
/** Primitive types by name. */
export const PRIMITIVES: readonly [string, Type][] = [...CONSTANTS, ...named([TIMESTAMP, DURATION])]
export const DYN: Type = { kind: 'dyn' }
/** Type of an expression that has been reported already; it fits everything. */
export const ERROR: Type = { kind: 'error' }
export const NULL: Type = { kind: 'null' }

export const listOf = (element: Type): Type => ({ kind: 'list', element })
export const mapOf = (key: Type, value: Type): Type => ({ kind: 'map', key, value })
export const typeOf = (of: Type): Type => ({ kind: 'type', of })
export const structOf = (name: string): Type => ({ kind: 'struct', name })
export const opaqueOf = (name: string, params: readonly Type[] = []): Type => ({
  kind: 'opaque',
  name,
  params,
})
export const optionalOf = (value: Type): Type => opaqueOf('optional_type', [value])

export const isBool = (type: Type): boolean => isExactly(type, BOOL)
export const isString = (type: Type): boolean => isExactly(type, STRING)
export const isDyn = ({ kind }: Type): boolean => kind === 'dyn' || kind === 'error'

/** Names of types in expressions, as in `type(x) == int`. */
export const TYPE_NAMES: ReadonlyMap<string, Type> = new Map<string, Type>([
  ...CONSTANTS,
  ['list', listOf(DYN)],
  ['map', mapOf(DYN, DYN)],
  ['null_type', NULL],
  ['type', typeOf(DYN)],
  ['dyn', DYN],
  ['google.protobuf.Timestamp', TIMESTAMP],
  ['google.protobuf.Duration', DURATION],
  ['optional_type', opaqueOf('optional_type', [{ kind: 'param', name: 'V' }])],
  ...[
    'kubernetes.Quantity',
    'kubernetes.URL',
    'kubernetes.Semver',
    'kubernetes.NamedFormat',
    'net.IP',
    'net.CIDR',
  ].map((name): [string, Type] => [name, opaqueOf(name)]),
])

/** Formats the type as cel-go does in its errors. */
export function formatType(type: Type): string {
  switch (type.kind) {
    case 'error':
      return '!error!'
    case 'list':
      return `list(${formatType(type.element)})`
    case 'map':
      return `map(${formatType(type.key)}, ${formatType(type.value)})`
    case 'type':
      return `type(${formatType(type.of)})`
    case 'opaque':
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(formatType).join(', ')})`
    case 'dyn':
    case 'null':
      return type.kind
    case 'primitive':
    case 'param':
    case 'struct':
      return type.name
  }
}

/** Reports whether both are the same, with their parameters. */
export function isExactly(a: Type, b: Type): boolean {
  if (a.kind !== b.kind) return false
  if (a.kind === 'primitive' || a.kind === 'struct' || a.kind === 'param')
    return 'name' in b && a.name === b.name
  const left = partsOf(a)
  const right = partsOf(b)
  const sameName = a.kind !== 'opaque' || (b.kind === 'opaque' && a.name === b.name)
  return (
    sameName &&
    left.length === right.length &&
    left.every((part, index) => isExactly(part, right[index] ?? ERROR))
  )
}

/** Returns the types of which a type is made. */
export function partsOf(type: Type): readonly Type[] {
  switch (type.kind) {
    case 'list':
      return [type.element]
    case 'map':
      return [type.key, type.value]
    case 'type':
      return [type.of]
    case 'opaque':
      return type.params
    default:
      return []
  }
}

/** Returns the type with each of its parts changed. */
export function mapParts(type: Type, change: (part: Type) => Type): Type {
  switch (type.kind) {
    case 'list':
      return listOf(change(type.element))
    case 'map':
      return mapOf(change(type.key), change(type.value))
    case 'type':
      return typeOf(change(type.of))
    case 'opaque':
      return { ...type, params: type.params.map(change) }
    default:
      return type
  }
}
