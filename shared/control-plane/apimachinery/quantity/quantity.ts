import {
  BINARY_SUFFIXES,
  DECIMAL_SUFFIXES,
  type QuantityFormat,
  type QuantityParts,
  readQuantity,
  SCALE,
} from './read.ts'

const ONE = 10n ** BigInt(SCALE)
const LARGEST_INT64 = 2n ** 63n - 1n

/** Form of an amount, which upstream keeps beside its value. */
interface Form {
  readonly format: QuantityFormat
  readonly scale: QuantityParts['scale']
}

/** An exact amount, as `100m`, `1.5Gi` or `2e3`: to a billionth, rounded away from zero beyond. */
export class Quantity {
  readonly #billionths: bigint
  readonly #form: Form

  private constructor(billionths: bigint, form: Form) {
    this.#billionths = billionths
    this.#form = form
  }

  // No static field: tsc 7.0 compiles one that names its own class to code that fails when it is loaded.
  static get zero(): Quantity {
    return Quantity.of(0)
  }

  static of(amount: number | bigint): Quantity {
    return new Quantity(BigInt(amount) * ONE, { format: 'decimal', scale: 0 })
  }

  /** Throws QuantityError. */
  static parse(text: string): Quantity {
    const parts = readQuantity(text)
    return new Quantity(billionthsOf(parts), { format: parts.format, scale: parts.scale })
  }

  /** Returns the text as the API writes it back. Throws QuantityError. */
  static canonical(text: string): string {
    return isKept(readQuantity(text)) ? text : Quantity.parse(text).toString()
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

  /** Compares: negative for less, zero for equal, positive for more. */
  compare(other: Quantity): number {
    if (this.#billionths === other.#billionths) return 0
    return this.#billionths < other.#billionths ? -1 : 1
  }

  /** Adds an amount. The sum has the format of this one, or of the other if this one is nothing. */
  plus(other: Quantity): Quantity {
    return this.#joined(other, this.#billionths + other.#billionths)
  }

  minus(other: Quantity): Quantity {
    return this.#joined(other, this.#billionths - other.#billionths)
  }

  #joined(other: Quantity, billionths: bigint): Quantity {
    const [own, others] = [this.#form, other.#form]
    const lowest = lower(own.scale, others.scale)
    const scale = this.isZero ? others.scale : other.isZero ? own.scale : lowest
    return new Quantity(billionths, {
      format: this.isZero ? others.format : own.format,
      scale: lowest === undefined ? undefined : scale,
    })
  }

  /**
   * Returns an integer; undefined if upstream's `AsInt64` fails. It fails also for values that upstream does
   * not keep as an integer, such as `1000m` and `1.5Ki`.
   */
  toInteger(): bigint | undefined {
    const { scale } = this.#form
    const whole = this.#billionths / ONE
    const fits = whole <= LARGEST_INT64 && whole >= -LARGEST_INT64 - 1n
    return scale !== undefined && scale >= 0 && fits ? whole : undefined
  }

  /** Returns the nearest number. */
  toNumber(): number {
    return Number(this.#billionths) / Number(ONE)
  }

  toString(): string {
    if (this.isZero) return '0'
    const whole = this.#billionths / ONE
    const isLarge = whole >= 1024n || whole <= -1024n
    if (this.#form.format === 'binary' && this.isInteger && isLarge) return withSuffix(whole)
    return this.#decimal()
  }

  #decimal(): string {
    let mantissa = this.#billionths
    let exponent = -SCALE
    const last = this.#form.format === 'exponent' ? Number.POSITIVE_INFINITY : 18
    while (mantissa % 1000n === 0n && exponent < last) {
      mantissa /= 1000n
      exponent += 3
    }
    if (this.#form.format === 'exponent') return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`
    return `${mantissa}${DECIMAL_SUFFIXES[(exponent + SCALE) / 3] ?? ''}`
  }
}

function billionthsOf({ negative, whole, fraction, format, exponent }: QuantityParts): bigint {
  const digits = BigInt(`${whole}${fraction}`)
  const shift = (format === 'binary' ? 0 : exponent) + SCALE - fraction.length
  const factor = format === 'binary' ? 2n ** BigInt(exponent) : 1n
  const exact =
    shift >= 0 ? digits * factor * 10n ** BigInt(shift) : dividedUp(digits * factor, 10n ** BigInt(-shift))
  // Upstream bounds these alone.
  const amount = format === 'binary' && exact > LARGEST_INT64 * ONE ? LARGEST_INT64 * ONE : exact
  return negative ? -amount : amount
}

/** Reports whether upstream writes an amount as it was written: read at once, and in thousands already. */
function isKept({ whole, fraction, format, scale }: QuantityParts): boolean {
  if (scale === undefined) return false
  const digits = `${whole}${fraction}`
  if (format === 'binary') return (BigInt(digits) & 7n) !== 0n
  return scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0')
}

function lower(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : Math.min(a, b)
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
