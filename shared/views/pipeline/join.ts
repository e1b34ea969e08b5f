import { EvaluationError } from '../errors.ts'
import { compileExpression, type Environment, type Evaluate, type Expression } from '../expressions/index.ts'
import { canonicalText, excerpt, type Json, type JsonObject } from '../json/index.ts'
import { type Path, readPath } from '../jsonpath/index.ts'
import type { JoinSpec } from '../spec/index.ts'
import { type Row, rowOf } from './row.ts'

/** A value of one source's objects that must equal one of another's. */
export interface JoinKey {
  /** The source's number. */
  readonly source: number
  readonly path: Path
}

export interface CompiledJoin {
  readonly index: number
  readonly kinds: readonly string[]
  /** Equalities that every joined combination meets, as found in the condition. */
  readonly equalities: readonly (readonly [JoinKey, JoinKey])[]
  /**
   * Whether a combination that meets the equalities is joined.
   * @throws EvaluationError if the condition cannot be evaluated
   */
  readonly matches: (combination: Row) => boolean
}

export function compileJoin(
  { condition, index }: JoinSpec,
  kinds: readonly string[],
  environment: Environment,
): CompiledJoin {
  const evaluate = compileExpression(condition)
  return {
    index,
    kinds,
    equalities: equalitiesOf(condition, kinds),
    matches: ({ value }) => isTrue(evaluate, value, environment),
  }
}

function isTrue(evaluate: Evaluate, root: Json, environment: Environment): boolean {
  const found = evaluate({ root, environment })
  if (typeof found === 'boolean') return found
  throw new EvaluationError(`expected true or false, found ${excerpt(found)}`)
}

/** Finds the `@eq`s between paths into two sources that must hold for the whole condition to hold. */
function equalitiesOf(condition: Expression, kinds: readonly string[]): [JoinKey, JoinKey][] {
  if (condition.kind !== 'call' || condition.argument.kind !== 'list') return []
  const { items } = condition.argument
  if (condition.operator === '@and') return items.flatMap((item) => equalitiesOf(item, kinds))
  if (condition.operator !== '@eq') return []
  const [left, right] = items.map((item) => joinKeyOf(item, kinds))
  return left === undefined || right === undefined || left.source === right.source ? [] : [[left, right]]
}

/** Returns the key of a plain path. Only these count: they give one value, and cannot fail. */
function joinKeyOf(expression: Expression, kinds: readonly string[]): JoinKey | undefined {
  if (expression.kind !== 'path' || expression.from !== '$') return undefined
  const [first, ...path] = expression.path
  const source = first?.kind === 'child' ? kinds.indexOf(first.name) : -1
  const isPlain = path.every(({ kind }) => kind === 'child' || kind === 'index')
  return source >= 0 && isPlain ? { source, path } : undefined
}

/** Returns the value of a key as a text, or undefined if it is missing or null, which equals nothing. */
export function joinKeyText(path: Path, object: JsonObject): string | undefined {
  const value = readPath(path, object) ?? null
  if (value === null) return undefined
  return typeof value === 'string' ? `"${value}` : canonicalText(value)
}

/** An object of a source and its key. */
export interface SourceObject {
  readonly key: string
  readonly object: JsonObject
}

/** Combines one object of each source to a row: `{KindA: …, KindB: …}`. */
export function combined(kinds: readonly string[], objects: readonly SourceObject[]): Row {
  const value = Object.fromEntries(objects.map(({ object }, source) => [kinds[source] ?? '', object]))
  return rowOf(
    objects.map(({ key }) => key),
    value,
  )
}
