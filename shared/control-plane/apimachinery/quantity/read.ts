/** A text is no quantity. The messages are those of apimachinery's pkg/api/resource. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError'
}

/** How an amount is written: with `m`, `k`, `M`; with `Ki`, `Mi`; or with an exponent, such as `1e3`. */
export type QuantityFormat = 'decimal' | 'binary' | 'exponent'

export const DECIMAL_SUFFIXES: readonly string[] = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']
export const BINARY_SUFFIXES: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
/** Amounts are kept in billionths, as upstream rounds to: ten to the power of this many. */
export const SCALE = 9

const SHAPE = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/
const WRONG_SHAPE =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const WRONG_SUFFIX = "unable to parse quantity's suffix"
/** Beyond these, which upstream has not, no amount is of use, and each digit would cost time. */
const LARGEST_EXPONENT = 1000
const LONGEST_TEXT = 128
/** Number of digits that upstream reads into an int64 at once. */
const FAST_DIGITS = 18

/** Parts of a text, before any computation. */
export interface QuantityParts {
  readonly negative: boolean
  /** Digits without leading zeros; at least one. */
  readonly whole: string
  readonly fraction: string
  readonly format: QuantityFormat
  /** Exponent of ten, or of two in the format `binary`. */
  readonly exponent: number
  /**
   * Ten to the power of this is what upstream keeps an integer of 64 bits of; undefined where it keeps a
   * number of any length instead (`ParseQuantity`). No other notation distinguishes an integer from what only
   * amounts to one, as `1000m`.
   */
  readonly scale: number | undefined
}

/** Throws QuantityError. */
export function readQuantity(text: string): QuantityParts {
  const [match, sign = '', digits = '', fraction = '', suffix = ''] =
    text.length > LONGEST_TEXT ? [] : (SHAPE.exec(text) ?? [])
  if (match === undefined || text === '') throw new QuantityError(WRONG_SHAPE)
  const whole = digits.replace(/^0+/, '') || '0'
  const unit = unitOf(suffix)
  return { negative: sign === '-', whole, fraction, ...unit, scale: scaleOf(whole, fraction, unit) }
}

type Unit = Pick<QuantityParts, 'format' | 'exponent'>

function unitOf(suffix: string): Unit {
  const decimal = DECIMAL_SUFFIXES.indexOf(suffix)
  if (decimal >= 0) return { format: 'decimal', exponent: decimal * 3 - SCALE }
  const binary = BINARY_SUFFIXES.indexOf(suffix)
  if (binary > 0) return { format: 'binary', exponent: binary * 10 }
  const exponent = /^[eE][-+]?\d+$/.test(suffix) ? Number(suffix.slice(1)) : Number.NaN
  if (!(Math.abs(exponent) <= LARGEST_EXPONENT)) throw new QuantityError(WRONG_SUFFIX)
  return { format: 'exponent', exponent }
}

function scaleOf(whole: string, fraction: string, { format, exponent }: Unit): number | undefined {
  if (format === 'binary') {
    // Three digits for each 2^10, and one to spare.
    const room = FAST_DIGITS - 4 - Math.floor((exponent * 3) / 10)
    return fraction === '' && whole.length <= room ? 0 : undefined
  }
  const scale = exponent - fraction.length
  return whole.length + fraction.length <= FAST_DIGITS && scale >= -SCALE ? scale : undefined
}
