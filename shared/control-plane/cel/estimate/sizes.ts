import type { Node } from '../syntax/nodes.ts'
import { DYN, type Type } from '../types/type.ts'
import { declaredRange, type Part } from './call.ts'
import type { DeclaredSize } from './declared-size.ts'
import { around, exactly, type Range, UNKNOWN } from './range.ts'

/** Sizes of the indices or keys, and of the values, of a list or a map that an expression makes. */
interface Entries {
  readonly kind: 'list' | 'map'
  readonly key: Range
  readonly value: Range
}

/** A variable of a comprehension. */
export interface Local {
  readonly path: readonly string[]
  readonly size: Range | undefined
  readonly entries: Entries | undefined
}
export type Locals = ReadonlyMap<string, Local>

/** Known sizes of an expression's parts, and the places in the object that they come from. */
export class Sizes {
  readonly declared: DeclaredSize
  readonly #types: ReadonlyMap<Node, Type>
  readonly #paths = new Map<Node, readonly string[]>()
  readonly #sizes = new Map<Node, Range>()
  readonly #entries = new Map<Node, Entries>()

  constructor(types: ReadonlyMap<Node, Type>, declared: DeclaredSize) {
    this.#types = types
    this.declared = declared
  }

  type(node: Node): Type {
    return this.#types.get(node) ?? DYN
  }

  path(node: Node, locals: Locals): readonly string[] {
    return localOf(node, locals)?.path ?? this.#paths.get(node) ?? []
  }

  setPath(node: Node, path: readonly string[]): void {
    this.#paths.set(node, path)
  }

  setSize(node: Node, size: Range | undefined): void {
    if (size) this.#sizes.set(node, size)
  }

  setEntries(node: Node, entries: Entries | undefined): void {
    if (entries) this.#entries.set(node, entries)
  }

  copy(to: Node, from: Node, locals: Locals): void {
    this.setSize(to, this.size(from, locals))
    this.setEntries(to, this.entries(from, locals))
  }

  part(node: Node, locals: Locals): Part {
    return { node, path: this.path(node, locals), type: this.type(node), size: this.size(node, locals) }
  }

  entries(node: Node, locals: Locals): Entries | undefined {
    return this.#entries.get(node) ?? localOf(node, locals)?.entries
  }

  /** Returns a size. What was found before counts first, then literals, then the schema, then the type. */
  size(node: Node, locals: Locals): Range | undefined {
    const known = this.#sizes.get(node) ?? writtenSize(node)
    if (known) return known
    const declared = declaredRange(this.declared, this.path(node, locals))
    this.setSize(node, declared)
    if (declared) return declared
    return isScalar(this.type(node)) ? exactly(1) : localOf(node, locals)?.size
  }

  sizeOrUnknown(node: Node, locals: Locals): Range {
    return this.size(node, locals) ?? UNKNOWN
  }

  /** Returns the sizes that any of these may have. */
  anyOf(nodes: readonly Node[], locals: Locals): Range {
    if (nodes.length === 0) return exactly(0)
    return nodes.map((node) => this.sizeOrUnknown(node, locals)).reduce(around)
  }
}

/** Returns the entries that either of two lists or maps may hold. */
export function eitherEntries(a: Entries | undefined, b: Entries | undefined): Entries | undefined {
  return a && b && { kind: a.kind, key: around(a.key, b.key), value: around(a.value, b.value) }
}

function localOf(node: Node, locals: Locals): Local | undefined {
  return node.kind === 'ident' ? locals.get(node.name) : undefined
}

function writtenSize(node: Node): Range | undefined {
  if (node.kind === 'list') return exactly(node.elements.length)
  if (node.kind === 'map') return exactly(node.entries.length)
  if (node.kind !== 'constant') return undefined
  const { value } = node
  if (typeof value === 'string') return exactly([...value].length)
  return exactly(value instanceof Uint8Array ? value.length : 1)
}

const SCALARS: ReadonlySet<string> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint'])

/** Reports whether all values of the type count as one. */
function isScalar(type: Type): boolean {
  if (type.kind === 'primitive') return SCALARS.has(type.name)
  return type.kind === 'opaque' && type.name === 'optional_type' && isScalar(type.params[0] ?? DYN)
}
