import { createHash } from 'node:crypto'
import { canonicalText, isList, isObject, type Json } from '../json/index.ts'
import { toBoolean, toInteger, toNumber, toPair, toText, wrong } from './convert.ts'
import { listArgument } from './list-argument.ts'
import { type Operator, type Operators, takes } from './operator.ts'
import { selects } from './selector.ts'

const converts = (apply: (value: Json) => Json): Operator => ({
  compile: (argument, compile) => {
    const evaluate = compile(argument)
    return (scope) => apply(evaluate(scope))
  },
})

function requireType(operator: string, expected: string, test: (value: Json) => boolean): Operator {
  return converts((value) => {
    if (test(value)) return value
    throw wrong(operator, expected, value)
  })
}

const concat: Operator = {
  compile: (argument, compile) => {
    const list = listArgument('@concat', argument, compile)
    return (scope) => {
      const text = list(scope)
        .map((part) => toText('@concat', part))
        .join('')
      scope.work?.spendOn(text.length)
      return text
    }
  },
}

/** 36 to the 25th is just above 2 to the 128th. */
const DIGITS = 25
const LENGTH = 6

/**
 * Returns a short name for a value, the same as Δ-controller's: the first 6 of the 25 base-36 digits of the
 * MD5 of its canonical JSON text. It distinguishes values in names; it protects nothing.
 */
function hash(canonicalText: string): string {
  const digest = createHash('md5').update(canonicalText).digest('hex')
  return BigInt(`0x${digest}`).toString(36).padStart(DIGITS, '0').slice(0, LENGTH)
}

const hashOf: Operator = {
  compile: (argument, compile) => {
    const evaluate = compile(argument)
    return (scope) => {
      const text = canonicalText(evaluate(scope))
      scope.work?.spendOn(text.length)
      return hash(text)
    }
  },
}

const selector: Operator = {
  check: takes(2),
  compile: (argument, compile) => {
    const evaluate = compile(argument)
    return (scope) => selects(...toPair('@selector', evaluate(scope)))
  },
}

/** Conversions, texts, hashes and label selectors. */
export const valueOperators: Operators = {
  '@bool': converts((value) => toBoolean('@bool', value)),
  '@int': converts((value) => toInteger('@int', value)),
  '@float': converts((value) => toNumber('@float', value)),
  '@string': converts((value) => toText('@string', value)),
  '@list': requireType('@list', 'a list', isList),
  '@dict': requireType('@dict', 'a map', isObject),
  '@concat': concat,
  '@hash': hashOf,
  '@selector': selector,
  '@noop': { compile: () => () => null },
}
