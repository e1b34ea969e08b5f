import type { Type } from '../types/type.ts'
import { type Call, type CallEstimate, type Estimate, PER_CHARACTER, sizeOf } from './call.ts'
import { exactly, plus, type Range, scaled, times, UNKNOWN } from './range.ts'
import { matching } from './texts.ts'

const ONE: CallEstimate = { cost: exactly(1) }

/** Estimates cel-go's own operators and functions; all others cost 1. */
export function operatorEstimate(name: string, call: Call): CallEstimate {
  return OPERATORS.get(name)?.(call) ?? ONE
}

const primitiveOf = (type: Type | undefined): string => (type?.kind === 'primitive' ? type.name : '')
const isText = (type: Type | undefined): boolean => ['string', 'bytes'].includes(primitiveOf(type))

/** Estimates operators on two texts, or equality: as much as the shorter one has. */
const shorter: Estimate = ({ args: [a, b] }) => {
  const [left, right] = [a ? sizeOf(a) : UNKNOWN, b ? sizeOf(b) : UNKNOWN]
  const most = left.most < right.most ? left.most : right.most
  return { cost: scaled({ least: most > 0n ? 1n : 0n, most }, PER_CHARACTER) }
}

const ordering: Estimate = (call) => (isText(call.overload.params[0]) ? shorter(call) : undefined)

const adding: Estimate = ({ overload, args: [a, b] }) => {
  const [type] = overload.params
  if (!a || !b || !(isText(type) || type?.kind === 'list')) return undefined
  const size = plus(sizeOf(a), sizeOf(b))
  return { cost: isText(type) ? scaled(size, PER_CHARACTER) : exactly(1), size }
}

/** Estimates conversions between text and bytes: a character has one to four bytes. */
const toBytes: Estimate = ({ overload, args: [text] }) => {
  if (!text || primitiveOf(overload.params[0]) !== 'string') return undefined
  return converted(
    sizeOf(text),
    (least) => least,
    (most) => most * 4n,
  )
}
const toText: Estimate = ({ overload, args: [bytes] }) => {
  if (!bytes || primitiveOf(overload.params[0]) !== 'bytes') return undefined
  return converted(
    sizeOf(bytes),
    (least) => least / 4n,
    (most) => most,
  )
}
/** Estimates quoting: at most every character is escaped. */
const quoting: Estimate = ({ args: [text] }) =>
  text &&
  converted(
    sizeOf(text),
    (least) => least + 2n,
    (most) => most * 2n + 2n,
  )

function converted(
  given: Range,
  least: (amount: bigint) => bigint,
  most: (amount: bigint) => bigint,
): CallEstimate {
  // As upstream's, these run over.
  const size = { least: BigInt.asUintN(64, least(given.least)), most: BigInt.asUintN(64, most(given.most)) }
  return { cost: scaled(given, PER_CHARACTER), size }
}

const ofTarget: Estimate = ({ target }) => target && { cost: scaled(sizeOf(target), PER_CHARACTER) }
const ofArgument: Estimate = ({ args: [text] }) => text && { cost: scaled(sizeOf(text), PER_CHARACTER) }

const containing: Estimate = ({ target, args: [part] }) =>
  target &&
  part && {
    cost: times(scaled(sizeOf(target), PER_CHARACTER), scaled(sizeOf(part), PER_CHARACTER)),
  }

const matches: Estimate = ({ target, args: [pattern] }) =>
  target && pattern && { cost: matching(sizeOf(target), sizeOf(pattern)) }

const isIn: Estimate = ({ overload, args: [, list] }) =>
  overload.params[1]?.kind === 'list' && list ? { cost: scaled(sizeOf(list), 1) } : undefined

const OPERATORS: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ['_==_', shorter],
  ['_!=_', shorter],
  ['_<_', ordering],
  ['_<=_', ordering],
  ['_>_', ordering],
  ['_>=_', ordering],
  ['_+_', adding],
  ['@in', isIn],
  ['bytes', toBytes],
  ['string', toText],
  ['strings.quote', quoting],
  ['format', ofTarget],
  ['startsWith', ofArgument],
  ['endsWith', ofArgument],
  ['contains', containing],
  ['matches', matches],
])
