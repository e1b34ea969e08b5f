import type { CelValue } from '../values/value.ts'

/** An expression with its macros expanded. `at` is the offset in the text for errors about it. */
export type Node =
  | ConstantNode
  | IdentNode
  | SelectNode
  | CallNode
  | ListNode
  | MapNode
  | StructNode
  | ComprehensionNode

interface ConstantNode {
  readonly kind: 'constant'
  readonly at: number
  readonly value: CelValue
}

interface IdentNode {
  readonly kind: 'ident'
  readonly at: number
  readonly name: string
}

export interface SelectNode {
  readonly kind: 'select'
  readonly at: number
  readonly operand: Node
  readonly field: string
  /** True for `has(a.b)`. */
  readonly testOnly: boolean
}

export interface CallNode {
  readonly kind: 'call'
  readonly at: number
  /** Operators are named as in cel-go: `_==_`, `_[_]`, `_?_:_`. */
  readonly name: string
  readonly target: Node | undefined
  readonly args: readonly Node[]
}

interface ListNode {
  readonly kind: 'list'
  readonly at: number
  readonly elements: readonly Element[]
}

/** Element of a list: `?value` is left out if the optional has no value. */
export interface Element {
  readonly value: Node
  readonly optional: boolean
}

export interface MapNode {
  readonly kind: 'map'
  readonly at: number
  readonly entries: readonly { readonly key: Node; readonly value: Node; readonly optional: boolean }[]
}

export interface StructNode {
  readonly kind: 'struct'
  readonly at: number
  readonly typeName: string
  readonly fields: readonly {
    readonly name: string
    readonly at: number
    readonly value: Node
    readonly optional: boolean
  }[]
}

/** Fold over a list or a map, which macros such as `all` and `map` become. */
export interface ComprehensionNode {
  readonly kind: 'comprehension'
  readonly at: number
  readonly range: Node
  readonly variable: string
  /** Second variable of a comprehension: the value, while `variable` is the index or the key. */
  readonly second: string | undefined
  readonly accumulator: string
  readonly init: Node
  readonly condition: Node
  readonly step: Node
  readonly result: Node
}

/** Returns the expressions of which an expression is made. */
export function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'constant':
    case 'ident':
      return []
    case 'select':
      return [node.operand]
    case 'call':
      return node.target ? [node.target, ...node.args] : node.args
    case 'list':
      return node.elements.map(({ value }) => value)
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value])
    case 'struct':
      return node.fields.map(({ value }) => value)
    case 'comprehension':
      return [node.range, node.init, node.condition, node.step, node.result]
  }
}

/** Reports whether the expression reads a variable of that name. */
export function readsVariable(node: Node, name: string, seen = new Set<Node>()): boolean {
  if (node.kind === 'ident') return node.name === name
  if (seen.has(node)) return false
  seen.add(node)
  return childrenOf(node).some((child) => readsVariable(child, name, seen))
}

/** Returns how deep expressions are nested; without recursion, as some may be too deep for it. */
export function depthOf(root: Node): number {
  const seen = new Set<Node>()
  const left: [Node, number][] = [[root, 1]]
  let deepest = 0
  for (let next = left.pop(); next; next = left.pop()) {
    const [node, depth] = next
    deepest = Math.max(deepest, depth)
    if (seen.has(node)) continue
    seen.add(node)
    for (const child of childrenOf(node)) left.push([child, depth + 1])
  }
  return deepest
}
