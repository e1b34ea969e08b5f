/**
 * A float64 that is finite, as Go's `%v` and `strconv` write it: with an exponent of two digits where it is
 * large or tiny.
 */
export function goFloat(value: number): string {
  const scientific = value.toExponential()
  const exponent = Number(scientific.slice(scientific.indexOf('e') + 1))
  if (exponent >= -4 && exponent < 6) return String(value)
  return scientific.replace(/e([+-])(\d)$/, 'e$10$2')
}

/**
 * A number of an object as Go's `%v` writes it: an int64 in digits. What JSON does not tell from an int64,
 * such as `1.0`, is one here.
 */
export function goNumber(value: number | bigint): string {
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : goFloat(value)
}
