const isLetter = (rune: string): boolean => /\p{L}/u.test(rune)
const isDigit = (rune: string): boolean => /\p{Nd}/u.test(rune)

/**
 * Compares members by their order in YAML: numbers within names count as numbers, letters come last
 * (goyaml.v2: keyList).
 */
export function compareKeys(a: string, b: string): number {
  const left = [...a]
  const right = [...b]
  const at = left.findIndex((rune, index) => rune !== right[index])
  if (at < 0 || at >= right.length) return left.length - right.length
  const [one = '', other = ''] = [left[at], right[at]]
  const letters = [isLetter(one), isLetter(other)]
  if (letters[0] && letters[1]) return order(one, other)
  if (letters[0] || letters[1]) {
    const afterDigit = at > 0 && isDigit(left[at - 1] ?? '')
    return letters[0] === afterDigit ? -1 : 1
  }
  return compareNumbers(left.slice(at), right.slice(at)) || order(one, other)
}

function compareNumbers(left: readonly string[], right: readonly string[]): number {
  const [a, b] = [digitsOf(left), digitsOf(right)]
  return Number(a || '0') - Number(b || '0') || a.length - b.length
}

function digitsOf(runes: readonly string[]): string {
  const end = runes.findIndex((rune) => !isDigit(rune))
  return runes.slice(0, end < 0 ? runes.length : end).join('')
}

function order(a: string, b: string): number {
  return (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0)
}
