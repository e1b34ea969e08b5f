import { type ASTNode, Environment, Optional } from '@marcbachmann/cel-js'
import { MatchBudget, PatternError, patternOf } from '../structural/index.ts'
import { GO, guarded, MATCH, STOP } from './guard.ts'
import { registerLists } from './lists.ts'
import { registerStrings } from './strings.ts'

/** Predicates of comprehensions that the rules of one object may evaluate together: about a second in the worst case. */
const STEPS = 500_000

/** An expression that cannot be used, or that failed on a value. */
export class CelError extends Error {
  override readonly name = 'CelError'
}

/** The rules of one object have taken too long. */
export class CostError extends CelError {}

/** What evaluations for one object have left together. */
export class CostBudget {
  readonly matches = new MatchBudget()
  #left = STEPS

  /** Counts a step; false when none is left. */
  step(): boolean {
    return --this.#left >= 0
  }

  get isSpent(): boolean {
    return this.#left < 0
  }
}

/** A variable's value in CEL's terms: integers as bigint, objects as Map, times as Date. */
export type CelValue = unknown

/** An expression that has been read. */
export interface Expression {
  readonly ast: ASTNode
  /** What it yields: `bool`, `string`, …; `dyn` where that shows only on evaluation. */
  readonly type: string
  /** Throws CelError where it fails on these values, CostError where it takes too long. */
  evaluate(variables: Readonly<Record<string, CelValue>>, budget: CostBudget): CelValue
}

const LIMITS = {
  maxAstNodes: 10_000,
  maxDepth: 200,
  maxListElements: 1000,
  maxMapEntries: 1000,
  maxCallArguments: 32,
}

/**
 * Reads and evaluates CEL expressions over `self` and `oldSelf`. Whatever they are, they end soon: comprehensions count their steps,
 * and regular expressions are matched in linear time.
 */
export class CelEvaluator {
  readonly #environment: Environment
  /** Of the evaluation that is under way: evaluations are synchronous. */
  #budget = new CostBudget()

  constructor() {
    this.#environment = this.#build()
  }

  /** Throws CelError with the reason where the text is no expression, or one whose types do not fit. */
  read(text: string): Expression {
    const checked = this.#environment.check(text)
    if (!checked.valid)
      throw new CelError(checked.error?.message ?? 'not an expression', { cause: checked.error })
    const ast = this.#environment.parse(text).ast
    const program = this.#environment.parse(guarded(text, ast))
    return {
      ast,
      type: checked.type ?? 'dyn',
      evaluate: (variables, budget) => {
        this.#budget = budget
        try {
          const value: CelValue = program({ ...variables })
          if (!budget.isSpent) return value
        } catch (error) {
          if (!budget.isSpent) throw asCelError(error)
        }
        throw new CostError('operation cancelled: actual cost limit exceeded')
      },
    }
  }

  /** A duration of CEL's from a text such as `1h30m`; the text itself where it is none. */
  duration(text: string): CelValue {
    try {
      return this.#environment.evaluate('duration(self)', { self: text, oldSelf: null })
    } catch {
      return text
    }
  }

  #build(): Environment {
    const environment = new Environment({
      unlistedVariablesAreDyn: false,
      enableOptionalTypes: true,
      homogeneousAggregateLiterals: false,
      limits: LIMITS,
    })
      .registerVariable('self', 'dyn')
      .registerVariable('oldSelf', 'dyn')
      .registerFunction(`${GO}(): bool`, () => this.#budget.step())
      .registerFunction(`${STOP}(): bool`, () => !this.#budget.step())
      .registerFunction(`string.${MATCH}(string): bool`, (text: string, pattern: string) =>
        this.#matches(text, pattern),
      )
    registerStrings(environment)
    registerLists(environment)
    return environment
  }

  #matches(text: string, pattern: string): boolean {
    try {
      return patternOf(pattern).test(text, this.#budget.matches)
    } catch (error) {
      if (error instanceof PatternError) throw new CelError(error.message, { cause: error })
      throw error
    }
  }
}

function asCelError(error: unknown): CelError {
  if (error instanceof CelError) return error
  const { cause } = error instanceof Error ? error : {}
  if (cause instanceof CelError) return cause
  const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return new CelError(first, { cause: error })
}

/** A value that may not be there, for rules with `optionalOldSelf`. */
export function optionalOf(value: CelValue | undefined): CelValue {
  return value === undefined ? Optional.none() : Optional.of(value)
}
