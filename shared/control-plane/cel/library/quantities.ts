import { Quantity } from '../../apimachinery/quantity/quantity.ts'
import { QuantityError } from '../../apimachinery/quantity/read.ts'
import { CelError } from '../errors.ts'
import { type CelValue, Opaque } from '../values/value.ts'
import { type Library, overload, traversal } from './function.ts'

class CelQuantity extends Opaque {
  override readonly typeName = 'kubernetes.Quantity'
  readonly quantity: Quantity

  constructor(quantity: Quantity) {
    super()
    this.quantity = quantity
  }

  override equals(other: Opaque): boolean {
    return other instanceof CelQuantity && other.quantity.compare(this.quantity) === 0
  }
}

function parse(text: string): CelQuantity {
  try {
    return new CelQuantity(Quantity.parse(text))
  } catch (error) {
    throw error instanceof QuantityError ? new CelError(error.message) : error
  }
}

function isQuantity(text: string): boolean {
  try {
    Quantity.parse(text)
    return true
  } catch (error) {
    if (error instanceof QuantityError) return false
    throw error
  }
}

/** Integers count as quantities. */
const quantityOf = (value: CelValue | undefined): Quantity =>
  value instanceof CelQuantity ? value.quantity : Quantity.of(value as bigint)

const order = (a: CelValue | undefined, b: CelValue | undefined): number =>
  quantityOf(a).compare(quantityOf(b))

const sum = (a: CelValue | undefined, b: CelValue | undefined): CelQuantity =>
  new CelQuantity(quantityOf(a).plus(quantityOf(b)))

const difference = (a: CelValue | undefined, b: CelValue | undefined): CelQuantity =>
  new CelQuantity(quantityOf(a).minus(quantityOf(b)))

function integerOf([value]: readonly CelValue[]): bigint {
  const integer = quantityOf(value).toInteger()
  if (integer === undefined) throw new CelError('cannot convert value to integer')
  return integer
}

const Q = 'kubernetes.Quantity'

export const QUANTITIES: Library = {
  quantity: [overload(`(string) -> ${Q}`, ([a]) => parse(a as string), traversal())],
  isQuantity: [overload('(string) -> bool', ([a]) => isQuantity(a as string), traversal())],
  sign: [overload(`(${Q}) -> int`, ([a]) => BigInt(order(a, 0n)))],
  isGreaterThan: [overload(`${Q}.(${Q}) -> bool`, ([a, b]) => order(a, b) > 0)],
  isLessThan: [overload(`${Q}.(${Q}) -> bool`, ([a, b]) => order(a, b) < 0)],
  compareTo: [overload(`${Q}.(${Q}) -> int`, ([a, b]) => BigInt(order(a, b)))],
  asApproximateFloat: [overload(`${Q}.() -> double`, ([a]) => quantityOf(a).toNumber())],
  asInteger: [overload(`${Q}.() -> int`, integerOf)],
  isInteger: [overload(`${Q}.() -> bool`, ([a]) => quantityOf(a).toInteger() !== undefined)],
  add: [
    overload(`${Q}.(${Q}) -> ${Q}`, ([a, b]) => sum(a, b)),
    overload(`${Q}.(int) -> ${Q}`, ([a, b]) => sum(a, b)),
  ],
  sub: [
    overload(`${Q}.(${Q}) -> ${Q}`, ([a, b]) => difference(a, b)),
    overload(`${Q}.(int) -> ${Q}`, ([a, b]) => difference(a, b)),
  ],
}
