/** A double is a multiple of 2^-1074, and so has at most this many digits after the point. */
const EXACT_DIGITS = 1074
/** Go's printer of languages keeps in one byte how many digits it shows at least. */
const PRECISIONS = 256
const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹'
/** Go's printer of languages shows this many, whatever the clause says. */
const SCIENTIFIC_DIGITS = 6

/** Formats `%.2f` of 1234.5 as Go's printer for English does: `1,234.50`. Halves go to the even digit. */
export function fixedText(value: number, precision = 6): string {
  if (!Number.isFinite(value)) return unlimited(value)
  return fixed(value, precision, value < 0).replace(/\B(?=(?:\d{3})+(?!\d))(?<!\.\d*)/g, ',')
}

/** Formats `%e` of 1234.5: `1.234500×10⁰³`. */
export function scientificText(value: number): string {
  if (!Number.isFinite(value)) return unlimited(value)
  const exponent = Number(value.toExponential(SCIENTIFIC_DIGITS).split('e')[1])
  const digits = String(rounded(value, SCIENTIFIC_DIGITS - exponent)).padStart(SCIENTIFIC_DIGITS + 1, '0')
  const raised = [...String(Math.abs(exponent)).padStart(2, '0')].map((digit) => RAISED[Number(digit)])
  const power = `10${exponent < 0 ? '⁻' : ''}${raised.join('')}`
  return `${value < 0 ? '-' : ''}${digits[0]}.${digits.slice(1)}×${power}`
}

/** Formats `%f` as Go's fmt does, for numbers within lists and maps. */
export function plainFixedText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  return fixed(value, 6, value < 0 || Object.is(value, -0))
}

function unlimited(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? '∞' : '-∞'
}

function fixed(value: number, precision: number, isNegative: boolean): string {
  const places = Math.min(precision, EXACT_DIGITS)
  const digits = String(rounded(value, places)).padStart(places + 1, '0')
  const cut = digits.length - places
  const fraction = digits
    .slice(cut)
    .replace(/0+$/, '')
    .padEnd(precision % PRECISIONS, '0')
  return `${isNegative ? '-' : ''}${digits.slice(0, cut)}${fraction && `.${fraction}`}`
}

/** Rounds |value| · 10^places to the nearest whole number, half to even, by every digit, as Go does. */
function rounded(value: number, places: number): bigint {
  const { mantissa, exponent } = partsOf(value)
  const power = 10n ** BigInt(Math.abs(places))
  const top = mantissa * (places > 0 ? power : 1n) * 2n ** BigInt(Math.max(exponent, 0))
  const bottom = (places < 0 ? power : 1n) * 2n ** BigInt(Math.max(-exponent, 0))
  const whole = top / bottom
  const twice = (top % bottom) * 2n
  return twice > bottom || (twice === bottom && whole % 2n === 1n) ? whole + 1n : whole
}

/** Splits a number: |value| = mantissa · 2^exponent. */
function partsOf(value: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const exponent = Number((bits >> 52n) & 0x7ffn)
  const mantissa = bits & (2n ** 52n - 1n)
  return exponent === 0
    ? { mantissa, exponent: -EXACT_DIGITS }
    : { mantissa: mantissa + 2n ** 52n, exponent: exponent - 1 - EXACT_DIGITS }
}
