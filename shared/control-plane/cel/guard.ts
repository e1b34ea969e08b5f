import type { ASTNode } from '@marcbachmann/cel-js'
import { COMPREHENSIONS, childrenOf } from './ast.ts'

/** Counts a step; false when none is left. */
export const GO = 'go__'
/** The same with the opposite answer. */
export const STOP = 'stop__'
/** `matches` in linear time. */
export const MATCH = 'matches__'

interface Edit {
  readonly at: number
  readonly remove: number
  readonly insert: string
}

/**
 * The expression with a step counted in every round of its comprehensions, and regular expressions matched by our own engine: the
 * evaluator bounds neither.
 */
export function guarded(text: string, ast: ASTNode): string {
  const edits: Edit[] = []
  collect(text, ast, edits)
  // Of edits at one place the inner ones come first: from the end of the text each leaves the earlier places as they are.
  return edits
    .map((edit, index) => ({ ...edit, index }))
    .sort((a, b) => b.at - a.at || a.index - b.index)
    .reduce((out, { at, remove, insert }) => out.slice(0, at) + insert + out.slice(at + remove), text)
}

function collect(text: string, node: ASTNode, edits: Edit[]): void {
  if (node.op === 'rcall') {
    const [name, receiver, args] = node.args
    const last = args.at(-1)
    if (name === 'matches') {
      const at = text.indexOf('matches', receiver.end)
      edits.push({ at, remove: name.length, insert: MATCH })
    } else if (COMPREHENSIONS.has(name) && args.length > 1 && last) {
      const [before, after] = roundOf(name)
      edits.push({ at: last.start, remove: 0, insert: before }, { at: last.end, remove: 0, insert: after })
    }
  }
  for (const child of childrenOf(node)) collect(text, child, edits)
}

/** What stands around the body of a comprehension. An exception would not end it: `all` and `exists` go on after errors. */
function roundOf(name: string): readonly [before: string, after: string] {
  if (name === 'exists') return [`${STOP}() || (`, ')']
  return name === 'map' ? [`${GO}() ? dyn(`, ') : dyn(0)'] : [`${GO}() && (`, ')']
}
