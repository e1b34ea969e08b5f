import { quoted } from '../../../kubernetes/index.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import type { Expression } from '../environment.ts'
import { CelError, CostError } from '../errors.ts'
import type { CostBudget } from '../runtime/budget.ts'
import { fromJson } from '../values/json.ts'
import { CelMap, type CelValue } from '../values/value.ts'
import { type AskAccess, authorizerValue, resourceCheckValue } from './authorizer.ts'

/** Input on which expressions are evaluated. */
export interface ExpressionInput {
  readonly object: JsonObject | undefined
  readonly oldObject: JsonObject | undefined
  /** The AdmissionRequest without objects. */
  readonly request: JsonObject
  readonly params: JsonObject | undefined
  readonly namespaceObject: JsonObject | undefined
  readonly access: AskAccess
  /** The resource of the request, for `authorizer.requestResource`. */
  readonly requestResource: Parameters<typeof resourceCheckValue>[1]
}

/** Variables that a policy declares, or why they cannot be used. */
export type ComposedVariables = ReadonlyMap<string, Expression | CelError>

/** No expressions are evaluated any more: those before have cost too much. */
export class OutOfBudgetError extends CelError {
  override readonly name = 'OutOfBudgetError'
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run')
  }
}

/** The evaluation of expressions on one request; what they cost counts together. */
export class Activation {
  readonly #values: ReadonlyMap<string, () => CelValue>
  readonly #made = new Map<string, CelValue>()
  readonly #budget: CostBudget

  constructor(input: ExpressionInput, variables: ComposedVariables, budget: CostBudget) {
    const { object, oldObject, request, params, namespaceObject, access, requestResource } = input
    this.#budget = budget
    this.#values = new Map<string, () => CelValue>([
      ['object', () => fromJson(object)],
      ['oldObject', () => fromJson(oldObject)],
      ['request', () => fromJson(request)],
      ['params', () => fromJson(params)],
      ['namespaceObject', () => fromJson(namespaceObject)],
      ['authorizer', () => authorizerValue(access)],
      ['authorizer.requestResource', () => resourceCheckValue(access, requestResource)],
      ['variables', () => new VariablesMap(variables, (expression) => this.#evaluate(expression))],
    ])
  }

  /**
   * Evaluates an expression.
   * @throws CelError with upstream's text if it fails, OutOfBudgetError if nothing is evaluated any more
   */
  evaluate(expression: Expression): CelValue {
    try {
      const value = this.#evaluate(expression)
      if (this.#budget.remaining < 0) throw new OutOfBudgetError()
      return value
    } catch (error) {
      if (!(error instanceof CelError)) throw error
      if (this.#budget.remaining < 0) throw new OutOfBudgetError()
      throw new CelError(`expression '${expression.text}' resulted in error: ${error.message}`, {
        cause: error,
      })
    }
  }

  #evaluate(expression: Expression): CelValue {
    return expression.evaluate((name) => this.#read(name), this.#budget)
  }

  #read(name: string): CelValue | undefined {
    const known = this.#made.get(name)
    if (known !== undefined) return known
    const value = this.#values.get(name)?.()
    if (value !== undefined) this.#made.set(name, value)
    return value
  }
}

/** Variables are evaluated when they are used, and once. */
class VariablesMap extends CelMap {
  readonly #variables: ComposedVariables
  readonly #evaluate: (expression: Expression) => CelValue
  readonly #known = new Map<string, CelValue | CelError>()

  constructor(variables: ComposedVariables, evaluate: (expression: Expression) => CelValue) {
    super()
    this.#variables = variables
    this.#evaluate = evaluate
  }

  override get size(): number {
    return this.#variables.size
  }

  override keys(): CelValue[] {
    return [...this.#variables.keys()]
  }

  override get(key: CelValue): CelValue | undefined {
    const variable = typeof key === 'string' ? this.#variables.get(key) : undefined
    if (typeof key !== 'string' || variable === undefined) return undefined
    const known = this.#known.get(key) ?? this.#valueOf(key, variable)
    this.#known.set(key, known)
    if (known instanceof CelError) throw known
    return known
  }

  #valueOf(name: string, variable: Expression | CelError): CelValue | CelError {
    if (variable instanceof CelError)
      return new CelError(`composited variable ${quoted(name)} fails to compile: ${variable.message}`)
    try {
      return this.#evaluate(variable)
    } catch (error) {
      if (!(error instanceof CelError)) throw error
      const what = `composited variable ${quoted(name)} fails to evaluate: ${error.message}`
      return error instanceof CostError ? error : new CelError(what, { cause: error })
    }
  }
}
