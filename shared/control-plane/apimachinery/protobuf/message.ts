import { type FieldType, type Scalar, structOf } from '../../apiserver/schema/table.ts'

/** A field number's content: a field of the JSON object, or a message whose fields JSON inlines. */
type Member =
  | { readonly number: number; readonly name: string; readonly type: FieldType }
  | { readonly number: number; readonly inlined: Message }

/** A Go struct as protobuf has it; members by rising number, as they are written. */
export interface Message {
  readonly members: readonly Member[]
  readonly byNumber: ReadonlyMap<number, Member>
}

/** @param members by rising number */
export function createMessage(members: readonly Member[]): Message {
  return { members, byNumber: new Map(members.map((member) => [member.number, member])) }
}

interface Numbered {
  readonly name: string
  readonly type: FieldType
  readonly numbers: readonly number[]
}

const known = new Map<string, Message>()

/** Returns the message of a struct, if the schema table has it; made once, as the table never changes. */
export function messageOf(structName: string): Message | undefined {
  const message = known.get(structName)
  if (message !== undefined) return message
  const struct = structOf(structName)
  if (struct === undefined) return undefined
  const made = messageOfFields(struct.fields.filter(({ numbers }) => numbers.length > 0))
  known.set(structName, made)
  return made
}

function messageOfFields(fields: readonly Numbered[]): Message {
  const byFirst = Map.groupBy(fields, ({ numbers }) => numbers[0] ?? 0)
  return createMessage(
    [...byFirst].sort(([a], [b]) => a - b).map(([number, group]) => memberOf(number, group)),
  )
}

function memberOf(number: number, group: readonly Numbered[]): Member {
  const [first] = group
  if (first !== undefined && first.numbers.length === 1) return { number, name: first.name, type: first.type }
  const inner = group.map(({ numbers, ...field }) => ({ ...field, numbers: numbers.slice(1) }))
  return { number, inlined: messageOfFields(inner) }
}

/** Packages of the schema table by API group. */
const PACKAGES: Readonly<Record<string, string>> = {
  '': 'core',
  'admissionregistration.k8s.io': 'admissionregistration',
  'apiextensions.k8s.io': 'apiextensions',
  'apiregistration.k8s.io': 'apiregistration',
  'authentication.k8s.io': 'authentication',
  'authorization.k8s.io': 'authorization',
  'certificates.k8s.io': 'certificates',
  'coordination.k8s.io': 'coordination',
  'discovery.k8s.io': 'discovery',
  'events.k8s.io': 'events',
  'flowcontrol.apiserver.k8s.io': 'flowcontrol',
  'meta.k8s.io': 'meta',
  'networking.k8s.io': 'networking',
  policy: 'policy',
  'rbac.authorization.k8s.io': 'rbac',
}

/** Kinds that every group has (apimachinery registers them with each). */
const COMMON_KINDS: ReadonlySet<string> = new Set(['DeleteOptions', 'Status'])

/** Kinds of discovery, of which those of the core group say no version. */
const DISCOVERY_KINDS: ReadonlySet<string> = new Set([
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
  'APIVersions',
])

/** Returns the struct of a built-in kind, such as `core.Pod`; undefined if protobuf does not know it. */
export function structNameOf(apiVersion: string, kind: string): string | undefined {
  if (DISCOVERY_KINDS.has(kind) && (apiVersion === '' || apiVersion === 'v1')) return `meta.${kind}`
  const parts = apiVersion.split('/')
  const [group = '', version] = parts.length === 1 ? ['', parts[0]] : parts
  const prefix = COMMON_KINDS.has(kind) ? 'meta' : Object.hasOwn(PACKAGES, group) && PACKAGES[group]
  const name = `${prefix}.${kind}`
  return version === 'v1' && prefix !== false && structOf(name) !== undefined ? name : undefined
}

/** Returns the message of a struct that a field's type names: the table is complete in itself. */
export function messageOfType(name: string): Message {
  const message = messageOf(name)
  if (message === undefined) throw new Error(`the schema table does not have ${name}`)
  return message
}

/** Returns the wire type of a value (protobuf: 0 varint, 1 fixed 64 bits, 2 length-delimited). */
export function wireTypeOf(type: FieldType): 0 | 1 | 2 {
  if (type.kind === 'pointer') return wireTypeOf(type.element)
  if (type.kind !== 'scalar') return 2
  return SCALAR_WIRE_TYPES[type.scalar] ?? 2
}

const SCALAR_WIRE_TYPES: Partial<Record<Scalar, 0 | 1>> = { bool: 0, int32: 0, int64: 0, float64: 1 }
