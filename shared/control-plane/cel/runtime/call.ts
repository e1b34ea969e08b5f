import { type Pattern, PatternError, patternOf } from '../../apiextensions/structural/pattern.ts'
import type { Declarations } from '../check/scope.ts'
import { CelError, CostError } from '../errors.ts'
import type { CallContext, Implementation, Overload } from '../library/index.ts'
import type { Type } from '../types/type.ts'
import { CelMap, type CelValue, isList, Opaque, Optional, TypeValue, typeNameOf } from '../values/value.ts'
import { Failure, type Frame, type Step } from './frame.ts'
import { attempt } from './logical.ts'

interface CallShape {
  readonly name: string
  readonly isMember: boolean
  /** Default: what the function says. */
  readonly cost?: () => number
  /** Called if no overload takes the values. Default: that is an error. */
  readonly otherwise?: Implementation
}

/** Plans a call of a function. The first of its overloads that fits the values is called. */
export function planCall(
  { functions }: Declarations,
  { name, isMember, cost, otherwise }: CallShape,
  operands: readonly Step[],
): Step {
  const candidates = (functions.get(name) ?? []).filter(
    (overload) => overload.isMember === isMember && overload.params.length === operands.length,
  )
  const patterns = new PatternCache()
  return (frame) => {
    try {
      const args = evaluateAll(operands, frame)
      const chosen = candidates.find((overload) => accepts(overload, args))
      const call = chosen?.call ?? otherwise
      if (!call) throw new CelError('no such overload')
      const context = patterns.contextOf(frame)
      const result = call(args, context)
      frame.meter.add(cost?.() ?? chosen?.cost?.(args, result, context) ?? 1)
      return result
    } catch (error) {
      // A call that fails costs something too, whatever it has failed on.
      if (error instanceof CelError && !(error instanceof CostError)) frame.meter.add(1)
      throw error
    }
  }
}

/** Evaluates all operands, also when one fails. */
function evaluateAll(operands: readonly Step[], frame: Frame): CelValue[] {
  const values: CelValue[] = []
  let failure: Failure | undefined
  for (const operand of operands) {
    const value = attempt(operand, frame)
    if (value instanceof Failure) failure ??= value
    else values.push(value)
  }
  if (failure) throw failure.error
  return values
}

function accepts({ params }: Overload, args: readonly CelValue[]): boolean {
  return params.every((param, index) => isOfType(args[index] ?? null, param))
}

const NAMES: Readonly<Record<string, string>> = {
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
}

function isOfType(value: CelValue, type: Type): boolean {
  switch (type.kind) {
    case 'primitive':
      return typeNameOf(value) === (NAMES[type.name] ?? type.name)
    case 'list':
      return isList(value) && (value.length === 0 || isOfType(value[0] ?? null, type.element))
    case 'map':
      return value instanceof CelMap
    case 'null':
      return value === null
    case 'type':
      return value instanceof TypeValue
    case 'opaque':
      return type.name === 'optional_type'
        ? value instanceof Optional
        : value instanceof Opaque && value.typeName === type.name
    default:
      return true
  }
}

/** Cache of one call: its pattern is mostly the same each time. */
class PatternCache {
  #last: Pattern | undefined

  contextOf({ meter }: Frame): CallContext {
    return {
      visits: meter.visits,
      matches: (text, pattern) => reading(() => this.#patternOf(pattern).test(text, meter.matches)),
      find: (text, pattern, limit) =>
        reading(() => this.#patternOf(pattern).find(text, limit, meter.matches)),
    }
  }

  #patternOf(source: string): Pattern {
    if (this.#last?.source === source) return this.#last
    this.#last = patternOf(source)
    return this.#last
  }
}

function reading<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof PatternError) throw new CelError(error.message, { cause: error })
    throw error
  }
}
