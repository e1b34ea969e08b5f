/** Range of a size or cost, the least and the most: unsigned 64-bit integers, as cel-go's are. */
export interface Range {
  readonly least: bigint
  readonly most: bigint
}

/** Value of anything that does not fit. */
export const LARGEST = 2n ** 64n - 1n
const TOO_LARGE = 2 ** 64

export const UNKNOWN: Range = { least: 0n, most: LARGEST }
export const NOTHING: Range = { least: 0n, most: 0n }

export const exactly = (amount: bigint | number): Range => ({ least: BigInt(amount), most: BigInt(amount) })

const bounded = (amount: bigint): bigint => (amount > LARGEST ? LARGEST : amount)

export const plus = (a: Range, b: Range): Range => ({
  least: bounded(a.least + b.least),
  most: bounded(a.most + b.most),
})

export const times = (a: Range, b: Range): Range => ({
  least: bounded(a.least * b.least),
  most: bounded(a.most * b.most),
})

/** Multiplies a range, rounded up. */
export const scaled = ({ least, most }: Range, factor: number): Range => ({
  least: scaledAmount(least, factor),
  most: scaledAmount(most, factor),
})

function scaledAmount(amount: bigint, factor: number): bigint {
  const product = Math.ceil(Number(amount) * factor)
  return product >= TOO_LARGE ? LARGEST : BigInt(product)
}

/** Returns the range that contains both. */
export const around = (a: Range, b: Range): Range => ({
  least: a.least < b.least ? a.least : b.least,
  most: a.most > b.most ? a.most : b.most,
})

export const sum = (ranges: readonly Range[]): Range => ranges.reduce(plus, NOTHING)
