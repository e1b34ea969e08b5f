import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt, objectsAt, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import {
  CelError,
  type ComposedVariables,
  type Expression,
  ExpressionCompiler,
  type ExpressionScope,
  type Purpose,
} from '../../cel/index.ts'

/** An expression, or why it cannot be used: objects that were stored by others may have such. */
export type MaybeExpression = Expression | CelError

/** Members that validating and mutating policies have in common. */
export interface CompiledPolicy {
  readonly conditions: readonly MaybeExpression[]
  readonly variables: ComposedVariables
}

export interface CompiledValidatingPolicy extends CompiledPolicy {
  readonly validations: readonly {
    readonly source: JsonObject
    readonly expression: MaybeExpression
    readonly message: MaybeExpression | undefined
  }[]
  readonly annotations: readonly { readonly key: string; readonly expression: MaybeExpression }[]
}

export interface CompiledMutatingPolicy extends CompiledPolicy {
  readonly mutations: readonly {
    readonly patchType: 'ApplyConfiguration' | 'JSONPatch'
    readonly expression: MaybeExpression
  }[]
}

export function compileValidating(policy: KubeObject): CompiledValidatingPolicy {
  const reader = new PolicyReader(objectAt(policy, 'spec'))
  const { spec } = reader
  return {
    ...reader.common(),
    validations: objectsAt(spec, 'validations').map((source) => ({
      source,
      expression: reader.read(stringAt(source, 'expression'), { authorizer: true }, 'condition'),
      message:
        stringAt(source, 'messageExpression') === ''
          ? undefined
          : reader.read(stringAt(source, 'messageExpression'), {}, 'message'),
    })),
    annotations: objectsAt(spec, 'auditAnnotations').map((annotation) => ({
      key: stringAt(annotation, 'key'),
      expression: reader.read(stringAt(annotation, 'valueExpression'), { authorizer: true }, 'annotation'),
    })),
  }
}

export function compileMutating(policy: KubeObject): CompiledMutatingPolicy {
  const reader = new PolicyReader(objectAt(policy, 'spec'))
  const scope = { authorizer: true, patches: true }
  return {
    ...reader.common(),
    mutations: objectsAt(reader.spec, 'mutations').map((mutation) => {
      const isPatch = stringAt(mutation, 'patchType') === 'JSONPatch'
      const patch = objectAt(mutation, isPatch ? 'jsonPatch' : 'applyConfiguration')
      const text = stringAt(patch, 'expression').trim()
      return {
        patchType: isPatch ? ('JSONPatch' as const) : ('ApplyConfiguration' as const),
        expression: reader.read(text, scope, isPatch ? 'jsonPatch' : 'applyConfiguration'),
      }
    }),
  }
}

class PolicyReader {
  readonly spec: JsonObject
  readonly #compiler = new ExpressionCompiler(true)
  readonly #params: boolean

  constructor(spec: JsonObject) {
    this.spec = spec
    this.#params = spec.paramKind !== undefined
  }

  /** Variables come first: everything else may use them. */
  common(): CompiledPolicy {
    const variables = objectsAt(this.spec, 'variables').map((variable): [string, MaybeExpression] => {
      const name = stringAt(variable, 'name')
      const scope = { authorizer: true, params: this.#params }
      return [name, caught(() => this.#compiler.declare(name, stringAt(variable, 'expression'), scope))]
    })
    const plain = new ExpressionCompiler(false)
    const conditions = objectsAt(this.spec, 'matchConditions').map((condition) =>
      caught(() =>
        plain.compile(
          stringAt(condition, 'expression').trim(),
          { authorizer: true, params: this.#params },
          'condition',
        ),
      ),
    )
    return { variables: new Map(variables), conditions }
  }

  read(text: string, scope: ExpressionScope, purpose: Purpose): MaybeExpression {
    return caught(() => this.#compiler.compile(text, { ...scope, params: this.#params }, purpose))
  }
}

function caught(compile: () => Expression): MaybeExpression {
  try {
    return compile()
  } catch (error) {
    if (error instanceof CelError) return error
    throw error
  }
}
