/** Takes what is wrong with a part that is left out. */
export type ReportFault = (fault: string) => void

/** Faults that a message names at most. */
const MAX_REPORTED = 5

/** Returns the first items of a list, and how many more there are. */
export function listWithLimit(items: readonly string[], separator = ', '): string {
  const shown = items.slice(0, MAX_REPORTED).join(separator)
  return items.length > MAX_REPORTED ? `${shown} and ${items.length - MAX_REPORTED} more` : shown
}

export const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null

/** Returns the value where it is one of the words that the API knows for a field; else `otherwise`. */
export function wordOf<Word extends string, Default extends Word | undefined>(
  value: unknown,
  { path, words, otherwise }: { path: string; words: readonly Word[]; otherwise: Default },
  reportFault: ReportFault,
): Word | Default {
  const word = words.find((item) => item === value)
  if (word === undefined && !isAbsent(value)) reportFault(`${path} is not one of ${words.join(', ')}`)
  return word ?? otherwise
}

/** Returns the value where it is a whole number within its range; else `otherwise`. */
export function numberOf<Default extends number | undefined>(
  value: unknown,
  { path, least = 1, most, otherwise }: { path: string; least?: number; most: number; otherwise: Default },
  reportFault: ReportFault,
): number | Default {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  if (!isAbsent(value)) reportFault(`${path} is not a number from ${least} to ${most}`)
  return otherwise
}
