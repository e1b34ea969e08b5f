import type { ASTNode } from '@marcbachmann/cel-js'
import type { Schema } from '../structural/index.ts'
import { COMPREHENSIONS, childrenOf } from './ast.ts'
import { celName } from './values.ts'

/** A field that an expression reads and its schema does not have. */
export interface UndefinedField {
  readonly name: string
  /** Where the access stands in the text, from 0. */
  readonly position: number
}

/** What is known of the value of an expression; undefined where nothing is. */
type Known = Schema | undefined
type Scope = ReadonlyMap<string, Known>

const META = new Set(['apiVersion', 'kind', 'metadata'])

/** Finds fields of `self` and `oldSelf` that the schema does not declare. What is only known on evaluation is let pass. */
export function undefinedFields(ast: ASTNode, self: Schema): UndefinedField[] {
  const found: UndefinedField[] = []
  inferSchema(
    ast,
    new Map([
      ['self', self],
      ['oldSelf', self],
    ]),
    found,
  )
  return found
}

function inferSchema(node: ASTNode, scope: Scope, found: UndefinedField[]): Known {
  if (node.op === 'id') return scope.get(node.args)
  if (node.op === '.') return selected(node, scope, found)
  if (node.op === '[]') return indexed(node.args, scope, found)
  if (node.op === 'rcall') return called(node.args, scope, found)
  for (const child of childrenOf(node)) inferSchema(child, scope, found)
  return undefined
}

function selected(node: ASTNode & { op: '.' }, scope: Scope, found: UndefinedField[]): Known {
  const [object, name] = node.args
  const schema = inferSchema(object, scope, found)
  if (!schema || schema.intOrString) return undefined
  if (schema.additional !== undefined) return schema.additional === 'any' ? undefined : schema.additional
  if (schema.type !== 'object') return undefined
  for (const [property, known] of schema.properties) if (celName(property) === name) return known
  if (!(schema.embedded && META.has(name))) found.push({ name, position: object.end })
  return undefined
}

function indexed([object, index]: readonly [ASTNode, ASTNode], scope: Scope, found: UndefinedField[]): Known {
  const schema = inferSchema(object, scope, found)
  inferSchema(index, scope, found)
  if (schema?.items) return schema.items
  return schema?.additional === 'any' ? undefined : schema?.additional
}

function called(
  [name, receiver, args]: readonly [string, ASTNode, readonly ASTNode[]],
  scope: Scope,
  found: UndefinedField[],
): Known {
  const schema = inferSchema(receiver, scope, found)
  const [variable, ...bodies] = args
  if (!COMPREHENSIONS.has(name) || variable?.op !== 'id') {
    for (const argument of args) inferSchema(argument, scope, found)
    return undefined
  }
  const inner = new Map([...scope, [variable.args, schema?.items] as const])
  for (const body of bodies) inferSchema(body, inner, found)
  return name === 'filter' ? schema : undefined
}
