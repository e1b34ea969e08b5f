import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { stringAt } from '../../apimachinery/json/values.ts'
import type { Expression } from '../../cel/index.ts'
import { accessOf } from '../access.ts'
import type { ConditionInput, ConditionMatcher } from './conditions.ts'

type Cel = typeof import('../../cel/index.ts')
type Conditions = readonly JsonObject[]

/** Evaluates match conditions with CEL, which is loaded with the first webhook that has some. */
export function celConditions(): ConditionMatcher {
  // Stored objects are never changed, so what was made of their conditions stays right.
  const compiled = new WeakMap<Conditions, readonly (Expression | InstanceType<Cel['CelError']>)[]>()
  return async (conditions, input) => {
    const cel = await import('../../cel/index.ts')
    const expressions = compiled.get(conditions) ?? compiledConditions(cel, conditions)
    compiled.set(conditions, expressions)
    return cel.meetsAll(expressions, expressionInput(input))
  }
}

function compiledConditions(cel: Cel, conditions: Conditions) {
  const compiler = new cel.ExpressionCompiler(false)
  return conditions.map((condition) => {
    try {
      return compiler.compile(stringAt(condition, 'expression'), { authorizer: true }, 'condition')
    } catch (error) {
      if (error instanceof cel.CelError) return error
      throw error
    }
  })
}

function expressionInput({ request, object, oldObject, attributes }: ConditionInput) {
  const { object: _, oldObject: __, ...rest } = request
  const { resource, subresource, namespace, name } = attributes
  return {
    object,
    oldObject,
    request: rest,
    params: undefined,
    namespaceObject: undefined,
    access: accessOf(attributes),
    requestResource: { group: resource.group, resource: resource.resource, subresource, namespace, name },
  }
}
