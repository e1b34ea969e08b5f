/** Maximum length of a word to compare: longer ones are no typos, and the comparison would be slow. */
const LONGEST = 64

/**
 * Finds what a misspelt word was most likely meant to be: the known word that takes the fewest slips, which
 * are a character too many, too few or another one, and two that changed places. At most two slips, one in a
 * word of up to five characters, and none of case.
 * @returns `undefined` when no known word is so near
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    const most = Math.min(word.length, candidate.length) > 5 ? 2 : 1
    if (Math.abs(word.length - candidate.length) > most) continue
    const slips = slipsBetween(word.toLowerCase(), candidate.toLowerCase())
    if (slips <= most && slips < least) [best, least] = [candidate, slips]
  }
  return best
}

/** Ends a sentence about a misspelt word: `; did you mean mode?`, or nothing. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const meant = nearest(word, known)
  return meant === undefined ? '' : `; did you mean ${meant}?`
}

/** Computes the optimal string alignment distance, a row of the table at a time. */
function slipsBetween(from: string, to: string): number {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, at) => at)]
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    ;[beforeLast, last] = [last, current]
  }
  return at(last, to.length)
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY
