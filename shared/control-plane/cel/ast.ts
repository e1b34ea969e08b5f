import type { ASTNode } from '@marcbachmann/cel-js'

/** Macros that evaluate their last argument for every element. */
export const COMPREHENSIONS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'filter', 'map'])

/** The expressions that an expression is made of. */
export function childrenOf(node: ASTNode): ASTNode[] {
  const { args } = node
  return nodesIn(args)
}

function nodesIn(value: unknown): ASTNode[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn)
  return isNode(value) ? [value] : []
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value
}

/** Whether the expression reads a variable of that name. */
export function readsVariable(node: ASTNode, name: string): boolean {
  if (node.op === 'id') return node.args === name
  return childrenOf(node).some((child) => readsVariable(child, name))
}
