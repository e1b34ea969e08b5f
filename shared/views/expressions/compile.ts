import { EvaluationError, ViewsError } from '../errors.ts'
import { define, excerpt, isObject, type Json, type JsonObject } from '../json/index.ts'
import { readPath, writePath } from '../jsonpath/index.ts'
import type { Evaluate, Expression, MapEntry, PathExpression, Scope } from './expression.ts'
import { OPERATORS } from './operators.ts'

/** Makes a function of an expression: it is read once and evaluated on every object. */
export function compileExpression(expression: Expression): Evaluate {
  switch (expression.kind) {
    case 'literal':
      return () => expression.value
    case 'now':
      return (scope) => `${scope.environment.now().toISOString().slice(0, 19)}Z`
    case 'path':
      return compilePath(expression)
    case 'list': {
      const items = expression.items.map(compileExpression)
      return (scope) => items.map((item) => item(scope))
    }
    case 'map':
      return compileMap(expression.entries)
    case 'call':
      return compileCall(expression)
  }
}

/** Compiles a path. A path that matches nothing gives null, never an error. */
function compilePath({ from, path }: PathExpression): Evaluate {
  if (from === '$') return (scope) => readPath(path, scope.root, scope.work) ?? null
  return (scope) => readPath(path, scope.local ?? null, scope.work) ?? null
}

function compileCall({ operator, argument }: Extract<Expression, { kind: 'call' }>): Evaluate {
  const found = OPERATORS.get(operator)
  if (found === undefined) throw new ViewsError(`there is no operator ${operator}`)
  return found.compile(argument, compileExpression)
}

/** Compiles a map. Members are evaluated in the text's order, but `$.`, which copies an object, first. */
function compileMap(entries: readonly MapEntry[]): Evaluate {
  const steps = entries
    .toSorted((a, b) => Number(isRoot(b)) - Number(isRoot(a)))
    .map(({ key, value }) => ({ key, evaluate: compileExpression(value) }))
  return (scope) => {
    let object: Record<string, Json> = {}
    for (const { key, evaluate } of steps) {
      if (typeof key === 'string') define(object, key, evaluate(scope))
      else if (key.length === 0) object = { ...object, ...wholeObject(evaluate(scope), scope) }
      else object = writePath(object, key, evaluate(scope)) as Record<string, Json>
    }
    return object
  }
}

const isRoot = ({ key }: MapEntry): boolean => typeof key !== 'string' && key.length === 0

function wholeObject(value: Json, { work }: Scope): JsonObject {
  if (isObject(value)) {
    work?.spend(Object.keys(value).length)
    return value
  }
  throw new EvaluationError(`"$.": expected a map, found ${excerpt(value)}`)
}
