import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'vitest/node'
import { ROOT } from './installed.ts'

/** One doc comment and what it stands in front of. */
export interface DocComment {
  /** Path from the root of the checkout. */
  readonly file: string
  /** Line on which the comment begins, from 1. */
  readonly line: number
  /** True for a function or method; false for a type, a field, a constant or a whole file. */
  readonly ofFunction: boolean
  /** Text without the stars, on one line. */
  readonly text: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly kind?: string
  readonly declaration?: Node | null
  readonly declarations?: readonly { readonly init?: Node | null }[]
  readonly value?: Node | null
}

const FUNCTIONS = /^(FunctionDeclaration|TSDeclareFunction|MethodDefinition|TSMethodSignature)$/
const CLOSURES = /^(ArrowFunctionExpression|FunctionExpression)$/

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string'

/** Reports whether a declaration makes a function. An accessor counts as a field, as its callers see one. */
function isFunction(node: Node): boolean {
  if (/^(get|set)$/.test(node.kind ?? '')) return false
  const inner = node.declaration ?? node.declarations?.[0]?.init
  if (inner) return CLOSURES.test(inner.type) || isFunction(inner)
  return FUNCTIONS.test(node.type) || (isNode(node.value) && CLOSURES.test(node.value.type))
}

/** Finds the doc comment that ends where a declaration begins, and returns its offset. */
function commentBefore(text: string, { start }: Node): number | undefined {
  const before = text.slice(Math.max(0, text.lastIndexOf('/**', start)), start)
  return /^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/.test(before) ? start - before.length : undefined
}

/** Reads the doc comments of a TypeScript file with the parser that vitest has. */
export function docComments(file: string): DocComment[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const found = new Map<number, DocComment>()
  const visit = (value: unknown): void => {
    const start = isNode(value) && value.type !== 'Program' ? commentBefore(text, value) : undefined
    // The outermost of the declarations that begin here comes first: `export` before what it exports.
    if (start !== undefined && !found.has(start))
      found.set(start, {
        file,
        line: text.slice(0, start).split('\n').length,
        ofFunction: isFunction(value as Node),
        text: text
          .slice(start + 3, text.indexOf('*/', start))
          .replace(/\s*\n\s*\*?\s*|^\s+|\s+$/g, ' ')
          .trim(),
      })
    if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit)
  }
  visit(parseAst(text, { lang: 'ts' }))
  return [...found.values()]
}
