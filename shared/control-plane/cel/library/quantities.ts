import { CelError } from '../errors.ts'
import { type CelValue, Opaque } from '../values/index.ts'
import { type Library, overload, traversal } from './function.ts'

const QUANTITY = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?$/
const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const DECIMAL: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
}
/** Quantities are kept in billionths. */
const SCALE = 9
const ONE = 10n ** BigInt(SCALE)
/** Largest exponent that is looked at: a quantity is below 2^63 anyway. */
const LARGEST_EXPONENT = 40
const MOST = (2n ** 63n - 1n) * ONE

/** Most digits that upstream keeps in an integer of 64 bits. */
const MOST_DIGITS = 18
/** What upstream's format is described by. */
const SHAPE = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'

/** An amount with a suffix, as `1.5Gi`: exact to a billionth, rounded up beyond. */
class Quantity extends Opaque {
  override readonly typeName = 'kubernetes.Quantity'
  readonly billionths: bigint
  /** False where upstream keeps it as a decimal: such a quantity is no integer, whatever it amounts to. */
  readonly isInt64: boolean

  constructor(billionths: bigint, isInt64: boolean) {
    super()
    this.billionths = billionths > MOST ? MOST : billionths < -MOST ? -MOST : billionths
    this.isInt64 = isInt64
  }

  override equals(other: Opaque): boolean {
    return other instanceof Quantity && other.billionths === this.billionths
  }
}

/** Undefined where the text is no quantity. */
function parseQuantity(text: string): Quantity | undefined {
  const [, sign = '', digits = '', suffix = ''] = QUANTITY.exec(text) ?? []
  if (digits === '') return undefined
  const [whole = '', fraction = ''] = digits.split('.')
  const value = BigInt(`${whole}${fraction}` || '0')
  const power = BINARY.indexOf(suffix) + 1
  const exponent = Math.max(-1000, Math.min(LARGEST_EXPONENT, exponentOf(suffix)))
  const shift = exponent + SCALE - fraction.length
  const amount = value * 1024n ** BigInt(power)
  const scaled = shift >= 0 ? amount * 10n ** BigInt(shift) : ceiling(amount, 10n ** BigInt(-shift))
  return new Quantity(
    sign === '-' ? -scaled : scaled,
    fitsInt64(digits.length, { fraction, exponent, power }),
  )
}

interface Shape {
  readonly fraction: string
  readonly exponent: number
  /** Of 1024. */
  readonly power: number
}

function fitsInt64(length: number, { fraction, exponent, power }: Shape): boolean {
  if (power > 0) return fraction === '' && length <= MOST_DIGITS - 4 - 3 * power
  return length <= MOST_DIGITS && exponent - fraction.length >= -SCALE
}

const ceiling = (value: bigint, divisor: bigint): bigint => (value + divisor - 1n) / divisor

function exponentOf(suffix: string): number {
  return /^[eE][+-]?\d/.test(suffix) ? Number(suffix.slice(1)) : (DECIMAL[suffix] ?? 0)
}

function quantity(text: string): Quantity {
  const parsed = parseQuantity(text)
  if (parsed) return parsed
  const isShaped = /^[+-]?[0-9.]+[eEinumkKMGTP]*[-+]?[0-9]*$/.test(text)
  throw new CelError(
    isShaped
      ? "unable to parse quantity's suffix"
      : `quantities must match the regular expression '${SHAPE}'`,
  )
}

const amount = (value: CelValue | undefined): bigint =>
  value instanceof Quantity ? value.billionths : (value as bigint) * ONE

const isWhole = (value: CelValue | undefined): boolean =>
  value instanceof Quantity && value.isInt64 && value.billionths % ONE === 0n

function sum(a: CelValue | undefined, b: CelValue | undefined, sign: bigint): Quantity {
  const isInt64 = [a, b].every((value) => !(value instanceof Quantity) || value.isInt64)
  return new Quantity(amount(a) + sign * amount(b), isInt64)
}

function order(a: CelValue | undefined, b: CelValue | undefined): number {
  const [left, right] = [amount(a), amount(b)]
  if (left === right) return 0
  return left > right ? 1 : -1
}

function integerOf([value]: readonly CelValue[]): bigint {
  if (!isWhole(value)) throw new CelError('cannot convert value to integer')
  return amount(value) / ONE
}

const Q = 'kubernetes.Quantity'

export const QUANTITIES: Library = {
  quantity: [overload(`(string) -> ${Q}`, ([a]) => quantity(a as string), traversal())],
  isQuantity: [overload('(string) -> bool', ([a]) => parseQuantity(a as string) !== undefined, traversal())],
  sign: [overload(`(${Q}) -> int`, ([a]) => BigInt(order(a, 0n)))],
  isGreaterThan: [overload(`${Q}.(${Q}) -> bool`, ([a, b]) => order(a, b) > 0)],
  isLessThan: [overload(`${Q}.(${Q}) -> bool`, ([a, b]) => order(a, b) < 0)],
  compareTo: [overload(`${Q}.(${Q}) -> int`, ([a, b]) => BigInt(order(a, b)))],
  asApproximateFloat: [overload(`${Q}.() -> double`, ([a]) => Number(amount(a)) / Number(ONE))],
  asInteger: [overload(`${Q}.() -> int`, integerOf)],
  isInteger: [overload(`${Q}.() -> bool`, ([a]) => isWhole(a))],
  add: [
    overload(`${Q}.(${Q}) -> ${Q}`, ([a, b]) => sum(a, b, 1n)),
    overload(`${Q}.(int) -> ${Q}`, ([a, b]) => sum(a, b, 1n)),
  ],
  sub: [
    overload(`${Q}.(${Q}) -> ${Q}`, ([a, b]) => sum(a, b, -1n)),
    overload(`${Q}.(int) -> ${Q}`, ([a, b]) => sum(a, b, -1n)),
  ],
}
