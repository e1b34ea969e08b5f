/** Value of a variable in one period; none where it has no data. */
export type ValueOf = (name: string) => number | undefined

type Value = number | undefined
type Operator = (left: number, right: number) => number

/** Operators by their precedence, the weakest first. */
const OPERATORS: readonly Readonly<Record<string, Operator>>[] = [
  { '>': (a, b) => Number(a > b), '<': (a, b) => Number(a < b) },
  { '+': (a, b) => a + b, '-': (a, b) => a - b },
  { '*': (a, b) => a * b, '/': (a, b) => a / b },
]

const FUNCTIONS: Readonly<Record<string, (...values: readonly Value[]) => Value>> = {
  FILL: (value, other) => value ?? other,
  IF: (condition, then, otherwise) =>
    condition === undefined ? undefined : condition === 0 ? otherwise : then,
}

/**
 * Evaluates an expression of CloudWatch's metric math for one period: the part of the language that alarms of
 * a deployment use. What is computed of no data, or divided by 0, is no data.
 * @throws Error for what it does not know
 */
export function evaluateExpression(expression: string, variable: ValueOf): number | undefined {
  const tokens = expression.match(/\w+(\.\d+)?|[^\s\w]/g) ?? []

  function expect(token: string): void {
    const found = tokens.shift()
    if (found !== token) throw new Error(`${expression}: ${found} where ${token} is expected`)
  }

  function operand(): Value {
    const token = tokens.shift() ?? ''
    if (token === '(') {
      const value = binary(0)
      expect(')')
      return value
    }
    if (/^\d/.test(token)) return Number(token)
    if (tokens[0] !== '(') return variable(token)
    const called = FUNCTIONS[token]
    if (called === undefined) throw new Error(`${expression}: ${token} is not known`)
    return called(...callArguments())
  }

  function callArguments(): Value[] {
    const values: Value[] = []
    do {
      tokens.shift()
      values.push(binary(0))
    } while (tokens[0] === ',')
    expect(')')
    return values
  }

  function binary(level: number): Value {
    const operators = OPERATORS[level]
    if (operators === undefined) return operand()
    let left = binary(level + 1)
    for (let apply = operators[tokens[0] ?? '']; apply !== undefined; apply = operators[tokens[0] ?? '']) {
      tokens.shift()
      const right = binary(level + 1)
      const value = left === undefined || right === undefined ? undefined : apply(left, right)
      left = Number.isFinite(value) ? value : undefined
    }
    return left
  }

  const value = binary(0)
  if (tokens.length > 0) throw new Error(`${expression}: ${tokens.join(' ')} is not expected`)
  return value
}
