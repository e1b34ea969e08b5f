/** Formats a finite float64 as Go's `%v` and `strconv`: large and tiny ones with a two-digit exponent. */
export function goFloat(value: number): string {
  const scientific = value.toExponential()
  const exponent = Number(scientific.slice(scientific.indexOf('e') + 1))
  if (exponent >= -4 && exponent < 6) return String(value)
  return scientific.replace(/e([+-])(\d)$/, 'e$10$2')
}

/**
 * Formats a number of an object as Go's `%v` does: an int64 in digits. Numbers that JSON does not distinguish
 * from an int64, such as `1.0`, count as one.
 */
export function goNumber(value: number | bigint): string {
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : goFloat(value)
}
