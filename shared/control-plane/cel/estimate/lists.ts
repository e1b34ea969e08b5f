import type { Type } from '../types/type.ts'
import { type CallEstimate, type Estimate, literalInt, type Part, PER_CHARACTER, sizeOf } from './call.ts'
import { exactly, LARGEST, plus, type Range, scaled, times } from './range.ts'

/** Calling a function that makes a list. */
const NEW_LIST = exactly(11)
/** Comparing each element with each other one. */
const COMPARISONS = 2

function newList(size: Range, factor = 1): CallEstimate {
  return { cost: plus(scaled(size, factor), NEW_LIST), size }
}

/** Returns the value of a literal number; 0 for a negative one, and `otherwise` for anything else. */
function literalSize(part: Part, otherwise: bigint): bigint {
  const value = literalInt(part) ?? otherwise
  return value < 0n ? 0n : value
}

export const slicing: Estimate = ({ target, args: [from, to] }) => {
  if (!target || !from || !to) return undefined
  const length = literalSize(to, sizeOf(target).most) - literalSize(from, 0n)
  return newList(exactly(BigInt.asUintN(64, length)))
}

export const counting: Estimate = ({ args: [count] }) =>
  count && newList(exactly(literalSize(count, LARGEST)))

export const reversing: Estimate = ({ target }) => target && newList(sizeOf(target))

export const flattening: Estimate = ({ target, args: [depth] }) =>
  target && newList(sizeOf(target), depth ? Number(literalSize(depth, LARGEST)) : 1)

export const comparing: Estimate = ({ target }) => target && compared(target, undefined)

export const sorting: Estimate = ({ target, overload }) => target && compared(target, overload.params[0])

export const sortingBy: Estimate = ({ args: [keys], overload }) => keys && compared(keys, overload.params[1])

function compared(list: Part, type: Type | undefined): CallEstimate {
  const element = type?.kind === 'list' ? type.element : undefined
  const isText = element?.kind === 'primitive' && (element.name === 'string' || element.name === 'bytes')
  const size = sizeOf(list)
  return newList(times(size, size), isText ? COMPARISONS + PER_CHARACTER : COMPARISONS)
}

/** Estimates functions on two sets: each element is compared with each of the other, this many times. */
export const asSets =
  (often: number): Estimate =>
  ({ args: [a, b] }) =>
    a && b && { cost: plus(scaled(times(sizeOf(a), sizeOf(b)), often), exactly(1)) }
