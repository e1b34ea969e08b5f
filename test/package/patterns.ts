import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAst } from 'vitest/node'
import { ROOT } from './installed.ts'

/** A regular expression as it stands in a source file. */
export interface Pattern {
  /** Path from the root of the checkout, such as `functions/relay/main.ts`. */
  readonly file: string
  /** Line, from 1. */
  readonly line: number
  readonly source: string
  readonly flags: string
}

/** The regular expressions of one file. */
export interface Patterns {
  readonly literals: readonly Pattern[]
  /** Lines with `RegExp(…)`, whose text only the running program knows. */
  readonly made: readonly number[]
}

interface Node {
  readonly type: string
  readonly start: number
  readonly regex?: { readonly pattern: string; readonly flags: string }
  readonly callee?: { readonly name?: string }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string'

/** Reads a TypeScript file with the parser that vitest has, and finds each regular expression in it. */
export async function findPatterns(file: string): Promise<Patterns> {
  const text = await readFile(join(ROOT, file), 'utf8')
  const lineOf = ({ start }: Node): number => text.slice(0, start).split('\n').length
  const literals: Pattern[] = []
  const made: number[] = []
  const waiting: unknown[] = [parseAst(text, { lang: 'ts' })]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (isNode(value)) {
      if (value.regex !== undefined)
        literals.push({ file, line: lineOf(value), source: value.regex.pattern, flags: value.regex.flags })
      else if (value.callee?.name === 'RegExp') made.push(lineOf(value))
    }
    const children = typeof value === 'object' && value !== null ? Object.values(value) : []
    waiting.push(...children.filter((child) => typeof child === 'object' && child !== null))
  }
  return { literals, made: made.toSorted((one, other) => one - other) }
}
