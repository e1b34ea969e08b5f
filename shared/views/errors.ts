/**
 * Base of everything that this library throws on purpose.
 * @example
 * ```ts
 * try {
 *   loadSpec('controllers: none')
 * } catch (error) {
 *   if (!(error instanceof ViewsError)) throw error
 *   error.name // => 'SpecError'
 * }
 * ```
 */
export class ViewsError extends Error {
  override readonly name: string = 'ViewsError'
}

/**
 * An expression or a step that cannot be evaluated on the object at hand; another object may do.
 * @example
 * ```ts
 * new EvaluationError('$.spec.ports is no list') instanceof ViewsError // => true
 * ```
 */
export class EvaluationError extends ViewsError {
  override readonly name = 'EvaluationError'
}

/**
 * A JSONPath that cannot be read.
 * @example
 * ```ts
 * const error = new PathError('unexpected end of path', 4)
 * error.offset // => 4
 * ```
 */
export class PathError extends ViewsError {
  override readonly name = 'PathError'
  /** Position in the path's text, counted from 0. */
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/** One thing that is wrong with a spec. Line and column count from 1. */
export interface SpecProblem {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The fault, and what was expected. */
  readonly message: string
}

/**
 * A spec that cannot be used. The message has a line for each problem.
 * @example
 * ```ts
 * try {
 *   loadSpec('controllers: none', { file: 'views.yaml' })
 * } catch (error) {
 *   if (!(error instanceof SpecError)) throw error
 *   error.problems.map(({ line }) => line) // => [1]
 * }
 * ```
 */
export class SpecError extends ViewsError {
  override readonly name = 'SpecError'
  readonly problems: readonly SpecProblem[]

  constructor(problems: readonly SpecProblem[]) {
    super(problems.map(problemText).join('\n'))
    this.problems = problems
  }
}

const problemText = ({ file, line, column, message }: SpecProblem): string =>
  `${file}:${line}:${column}: ${message}`
