import { quoted } from '../../../kubernetes/index.ts'
import { internalError } from '../../apimachinery/errors/factories.ts'
import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt } from '../../apimachinery/json/values.ts'
import { isKubeObject, type KubeObject } from '../../apimachinery/objects.ts'
import { definiteType, type MergeType } from '../../apiserver/managed-fields/types/merge-type.ts'
import { structType } from '../../apiserver/managed-fields/types/struct-type.ts'
import { customResourceType } from '../../apiserver/managed-fields/types/structural-type.ts'
import { typeProblems } from '../../apiserver/managed-fields/types/type-problems.ts'
import { mergeValues } from '../../apiserver/managed-fields/values/merge.ts'
import { applyJsonPatch, failingOperation, JsonPatchError } from '../../apiserver/patch/json-patch.ts'
import type { ResourceDefinition } from '../../apiserver/registry/definition/resource-definition.ts'
import { unknownFields } from '../../apiserver/schema/unknown-fields.ts'
import {
  Activation,
  CelError,
  CelMap,
  type CelValue,
  CostBudget,
  type ExpressionInput,
  isList,
  toJson,
} from '../../cel/index.ts'
import { objectIn } from '../webhooks/patch.ts'
import type { CompiledMutatingPolicy } from './compiled.ts'

/** A mutation that cannot be made; its policy's failurePolicy decides. */
export class MutationError extends Error {
  override readonly name = 'MutationError'
}

interface MutationContext {
  readonly input: ExpressionInput
  readonly variables: CompiledMutatingPolicy['variables']
  readonly definition: ResourceDefinition
}

/**
 * Returns the object after a mutation.
 * @throws MutationError
 */
export function mutated(
  object: KubeObject,
  { patchType, expression }: CompiledMutatingPolicy['mutations'][number],
  { input, variables, definition }: MutationContext,
): KubeObject {
  const value = evaluated(() => {
    if (expression instanceof CelError) throw expression
    const budget = new CostBudget()
    const made = new Activation({ ...input, object }, variables, budget).evaluate(expression)
    budget.visits.walk(made)
    return made
  })
  if (patchType === 'JSONPatch') return patched(object, value, definition)
  const result = applied(object, value, definition)
  if (!isKubeObject(result)) throw new MutationError('the patch leaves no object with metadata')
  return result
}

function evaluated<T>(evaluate: () => T): T {
  try {
    return evaluate()
  } catch (error) {
    if (error instanceof CelError) throw new MutationError(error.message, { cause: error })
    throw error
  }
}

function applied(object: KubeObject, value: CelValue, definition: ResourceDefinition): JsonValue {
  checkTypeNames(value, 'Object')
  const configuration = withZeros(evaluated(() => toJson(value)))
  if (!isObject(configuration)) throw new MutationError('invalid return type')
  const { apiVersion = '', kind = '' } = object
  const patch: JsonObject = { ...configuration, apiVersion, kind }
  const type = structType(definition.schema ?? '') ?? customResourceType(definition.openApi)
  const problems = typeProblems(patch, type)
  if (problems.length > 0) {
    throw new MutationError(
      `error applying patch: failed to convert patch object to typed object: ${problems.join('\n')}`,
    )
  }
  const atomics = atomicPlaces(patch, type)
  if (atomics.length > 0) {
    const why = `may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`
    throw new MutationError(`error applying patch: invalid ApplyConfiguration: ${why}`)
  }
  return mergeValues(object, patch, type) ?? null
}

/** Replaces null by a number where upstream does on the way from CEL; the value then has the wrong type. */
function withZeros(value: JsonValue): JsonValue {
  if (value === null) return 0
  if (Array.isArray(value)) return value.map(withZeros)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withZeros(item ?? null)]))
}

function patched(object: KubeObject, value: CelValue, { schema }: ResourceDefinition): KubeObject {
  if (!isList(value))
    throw new MutationError('type mismatch: JSONPatchType.expression should evaluate to array')
  const operations = value.map(operationOf)
  let result: JsonValue
  try {
    result = applyJsonPatch(object, operations)
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error
    if (failsATest(object, operations)) return object
    throw new MutationError(`JSON Patch: ${error.message}`, { cause: error })
  }
  const unknown = schema ? unknownFields(result, schema) : []
  if (unknown.length > 0) {
    const texts = unknown.map((path) => `unknown field ${quoted(path)}`)
    throw internalError(`strict decoding error: ${texts.join(', ')}`)
  }
  return objectIn(objectAt({ result }, 'result'), object)
}

/** Reports whether a `test` fails. The patch is then not applied, which is no failure. */
function failsATest(object: KubeObject, operations: readonly JsonObject[]): boolean {
  const failing = failingOperation(object, operations)
  return failing !== undefined && operations[failing]?.op === 'test'
}

function operationOf(value: CelValue): JsonObject {
  if (!(value instanceof CelMap))
    throw new MutationError('type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch')
  const text = (field: string): string => {
    const found = value.get(field)
    return typeof found === 'string' ? found : ''
  }
  const content = value.get('value')
  if (content instanceof CelMap && content.structName !== undefined)
    checkTypeNames(content, content.structName)
  return {
    op: text('op'),
    path: text('path'),
    ...(text('from') === '' ? {} : { from: text('from') }),
    ...(content === undefined ? {} : { value: evaluated(() => toJson(content)) }),
  }
}

/** Checks types of objects within objects, named by their fields: `Object.spec{}` is `spec` of `Object{}`. */
function checkTypeNames(value: CelValue, expected: string): void {
  if (!(value instanceof CelMap) || value.structName === undefined) return
  if (value.structName !== expected && expected !== '') {
    throw new MutationError(
      `type mismatch: unexpected type name ${quoted(value.structName)}, expected ${quoted(expected)}, which matches field name path from root Object type`,
    )
  }
  for (const key of value.keys()) {
    const member = value.get(key) ?? null
    for (const item of isList(member) ? member : [member]) checkTypeNames(item, `${expected}.${String(key)}`)
  }
}

/**
 * Returns the paths of lists and objects in a value that are replaced as a whole, such as `.spec.selector`.
 * Laying the value over another one takes what that has there.
 */
function atomicPlaces(value: JsonValue, declared: MergeType, path = ''): string[] {
  const type = definiteType(declared, value)
  if (type.kind === 'list' && Array.isArray(value)) {
    const own = type.relation === 'atomic' ? [path] : []
    return [...own, ...value.flatMap((item, index) => atomicPlaces(item, type.element, `${path}[${index}]`))]
  }
  if (type.kind !== 'map' || !isObject(value)) return []
  const own = type.atomic ? [path] : []
  const below = Object.entries(value).flatMap(([name, member]) => {
    const known = type.member(name)
    return known && member !== undefined ? atomicPlaces(member, known, `${path}.${name}`) : []
  })
  return [...own, ...below]
}
