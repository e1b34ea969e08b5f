import { ownMember } from '../apimachinery/json/values.ts'
import { check, type ResolvedCall } from './check/checker.ts'
import { literalIssues } from './check/literals.ts'
import type { Declarations, ObjectTypes } from './check/scope.ts'
import { CelError } from './errors.ts'
import { joinLibraries, KUBERNETES_LIBRARY, type Library, type Overload } from './library/index.ts'
import { COST_OF_ONE_EXPRESSION, type CostBudget, CostMeter } from './runtime/budget.ts'
import type { Frame, ReadVariable, Step } from './runtime/frame.ts'
import { Planner } from './runtime/plan.ts'
import type { Node } from './syntax/nodes.ts'
import { parse } from './syntax/parser.ts'
import { describeIssues, SyntaxIssue } from './syntax/source.ts'
import type { Type } from './types/type.ts'
import type { CelValue } from './values/value.ts'

/** Names and functions that expressions may use. */
interface EnvironmentOptions {
  /** Types of variables by name. */
  readonly variables: Readonly<Record<string, Type>>
  /** Types with fields. Default: none. */
  readonly objects?: ObjectTypes
  /** Functions beside those that Kubernetes has everywhere. Default: none. */
  readonly libraries?: readonly Library[]
}

/** An expression that has been read. */
export interface Expression {
  readonly text: string
  readonly ast: Node
  /** Type that it yields; `dyn` if only evaluation shows it. */
  readonly type: Type
  readonly types: ReadonlyMap<Node, Type>
  readonly calls: ReadonlyMap<Node, ResolvedCall>
  /** Throws CelError where it fails on the values, CostError beyond an expression's limit or the budget. */
  evaluate(variables: ReadVariable | Readonly<Record<string, CelValue>>, budget: CostBudget): CelValue
}

const NO_OBJECTS: ObjectTypes = { has: () => false, field: () => undefined }

/** Reads expressions over declared variables. Evaluation ends soon: every step costs, up to a limit. */
export class CelEnvironment {
  readonly #declarations: Declarations

  private constructor(declarations: Declarations) {
    this.#declarations = declarations
  }

  static create({ variables, objects = NO_OBJECTS, libraries = [] }: EnvironmentOptions): CelEnvironment {
    return new CelEnvironment({
      variables: new Map(Object.entries(variables)),
      functions: withLibraries(libraries),
      objects,
    })
  }

  /** Returns the same with more variables, and with other types of objects. */
  extend(variables: Readonly<Record<string, Type>>, objects?: ObjectTypes): CelEnvironment {
    const { variables: known, functions, objects: before } = this.#declarations
    return new CelEnvironment({
      variables: new Map([...known, ...Object.entries(variables)]),
      functions,
      objects: objects ?? before,
    })
  }

  /** Throws CelError with all that is wrong, as cel-go, if the text is no expression or types do not fit. */
  compile(text: string): Expression {
    const ast = readText(text)
    const { type, types, calls, issues } = check(ast, this.#declarations)
    const found = issues.length > 0 ? issues : literalIssues(ast, types)
    if (found.length > 0) throw new CelError(describeIssues(text, found))
    const step = planned(this.#declarations, ast)
    return {
      text,
      ast,
      type,
      types,
      calls,
      evaluate: (variables, budget) => {
        const meter = new CostMeter(Math.min(COST_OF_ONE_EXPRESSION, Math.max(0, budget.remaining)), budget)
        const frame: Frame = { variable: readerOf(variables), slots: [], meter }
        try {
          return step(frame)
        } finally {
          budget.take(meter.spent)
        }
      },
    }
  }
}

function planned(declarations: Declarations, ast: Node): Step {
  try {
    return new Planner(declarations).plan(ast, new Map())
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    throw new CelError(`program instantiation failed: ${error.message}`, { cause: error })
  }
}

function withLibraries(libraries: readonly Library[]): ReadonlyMap<string, readonly Overload[]> {
  if (libraries.length === 0) return KUBERNETES_LIBRARY
  return joinLibraries([Object.fromEntries(KUBERNETES_LIBRARY), ...libraries])
}

function readerOf(variables: ReadVariable | Readonly<Record<string, CelValue>>): ReadVariable {
  if (typeof variables === 'function') return variables
  return (name) => ownMember(variables, name)
}

function readText(text: string): Node {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxIssue)) throw error
    throw new CelError(describeIssues(text, [{ message: error.message, at: error.at }]), { cause: error })
  }
}
