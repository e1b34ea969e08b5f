/** A text is no quantity. The messages are those of apimachinery's pkg/api/resource. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError'
}

/** How an amount is written: with `m`, `k`, `M`; with `Ki`, `Mi`; or with an exponent, as `1e3`. */
export type QuantityFormat = 'decimal' | 'binary' | 'exponent'

const SHAPE = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/
const WRONG_SHAPE =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const WRONG_SUFFIX = "unable to parse quantity's suffix"

const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
/** Amounts are kept in billionths, as upstream rounds to: ten to the power of this many. */
const SCALE = 9
const ONE = 10n ** BigInt(SCALE)
/** Beyond these no amount is of use, and each digit would cost time. */
const LARGEST_EXPONENT = 60
const LONGEST_TEXT = 128
/** As many digits as upstream reads into an int64 at once. */
const FAST_DIGITS = 18

interface Parts {
  readonly negative: boolean
  readonly whole: string
  readonly fraction: string
  readonly suffix: string
  readonly format: QuantityFormat
  /** Of ten, or of two in the format `binary`. */
  readonly exponent: number
}

/** An exact amount of something, as `100m`, `1.5Gi` or `2e3`. */
export class Quantity {
  readonly #billionths: bigint
  readonly #format: QuantityFormat

  private constructor(billionths: bigint, format: QuantityFormat) {
    this.#billionths = billionths
    this.#format = format
  }

  static readonly zero: Quantity = new Quantity(0n, 'decimal')

  static of(amount: number): Quantity {
    return new Quantity(BigInt(amount) * ONE, 'decimal')
  }

  /** Throws QuantityError. */
  static parse(text: string): Quantity {
    const { negative, whole, fraction, format, exponent } = partsOf(text)
    const digits = BigInt(`${whole}${fraction}` || '0')
    const shift = (format === 'binary' ? 0 : exponent) + SCALE - fraction.length
    const factor = format === 'binary' ? 2n ** BigInt(exponent) : 1n
    const amount =
      shift >= 0 ? digits * factor * 10n ** BigInt(shift) : dividedUp(digits * factor, 10n ** BigInt(-shift))
    return new Quantity(negative ? -amount : amount, format)
  }

  get isZero(): boolean {
    return this.#billionths === 0n
  }

  get isNegative(): boolean {
    return this.#billionths < 0n
  }

  get isInteger(): boolean {
    return this.#billionths % ONE === 0n
  }

  /** Negative, zero or positive, for less, equal or more. */
  compare(other: Quantity): number {
    if (this.#billionths === other.#billionths) return 0
    return this.#billionths < other.#billionths ? -1 : 1
  }

  /** In the format of this one, or of the other where this one is nothing. */
  plus(other: Quantity): Quantity {
    return new Quantity(this.#billionths + other.#billionths, this.isZero ? other.#format : this.#format)
  }

  minus(other: Quantity): Quantity {
    return new Quantity(this.#billionths - other.#billionths, this.isZero ? other.#format : this.#format)
  }

  /** The shortest form without fractions, with the largest suffix. */
  toString(): string {
    if (this.isZero) return '0'
    const whole = this.#billionths / ONE
    const isLarge = whole >= 1024n || whole <= -1024n
    if (this.#format === 'binary' && this.isInteger && isLarge) return withSuffix(whole)
    return this.#decimal()
  }

  #decimal(): string {
    let mantissa = this.#billionths
    let exponent = -SCALE
    const last = this.#format === 'exponent' ? Number.POSITIVE_INFINITY : 18
    while (mantissa % 1000n === 0n && exponent < last) {
      mantissa /= 1000n
      exponent += 3
    }
    if (this.#format === 'exponent') return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`
    return `${mantissa}${DECIMAL_SUFFIXES[(exponent + SCALE) / 3] ?? ''}`
  }
}

/** The text as the API writes it back. Throws QuantityError. */
export function canonicalQuantity(text: string): string {
  const { whole, fraction, format, exponent } = partsOf(text)
  const digits = `${whole}${fraction}`
  // Upstream keeps what it reads at once and what is in thousands already, as it was written.
  const isKept =
    format !== 'binary' &&
    digits.length <= FAST_DIGITS &&
    exponent - fraction.length >= -SCALE &&
    (exponent - fraction.length) % 3 === 0 &&
    !digits.endsWith('000') &&
    !digits.startsWith('0') &&
    digits !== ''
  return isKept ? text : Quantity.parse(text).toString()
}

function partsOf(text: string): Parts {
  const [match, sign = '', whole = '', fraction = '', suffix = ''] =
    text.length > LONGEST_TEXT ? [] : (SHAPE.exec(text) ?? [])
  if (match === undefined || text === '') throw new QuantityError(WRONG_SHAPE)
  return { negative: sign === '-', whole, fraction, suffix, ...scaleOf(suffix) }
}

function scaleOf(suffix: string): Pick<Parts, 'format' | 'exponent'> {
  const decimal = DECIMAL_SUFFIXES.indexOf(suffix)
  if (decimal >= 0) return { format: 'decimal', exponent: decimal * 3 - SCALE }
  const binary = BINARY_SUFFIXES.indexOf(suffix)
  if (binary > 0) return { format: 'binary', exponent: binary * 10 }
  const exponent = /^[eE][-+]?\d+$/.test(suffix) ? Number(suffix.slice(1)) : Number.NaN
  if (!(Math.abs(exponent) <= LARGEST_EXPONENT)) throw new QuantityError(WRONG_SUFFIX)
  return { format: 'exponent', exponent }
}

const dividedUp = (value: bigint, divisor: bigint): bigint => (value + divisor - 1n) / divisor

function withSuffix(whole: bigint): string {
  let mantissa = whole
  let step = 0
  while (mantissa % 1024n === 0n && step < BINARY_SUFFIXES.length - 1) {
    mantissa /= 1024n
    step++
  }
  return `${mantissa}${BINARY_SUFFIXES[step]}`
}
