import { literal, unusable, type Validation } from './expressions.ts'

const PREFIX = 'sliceflow.dev/'

/** Refuses names that are one slip away from a known one, as the parser does; of case none counts. */
export const misspellingsOf = (known: readonly string[]): Validation[] =>
  known.map((annotation) => {
    const near = `k.matches(${literal(oneSlipFrom(annotation))})`
    const unknown = `variables.changed.filter(k, !(k in [${known.map(literal).join(', ')}]) && ${near})`
    const problem = `Sliceflow has no such annotation; did you mean ${annotation}?`
    return {
      expression: `size(${unknown}) == 0`,
      message: `an annotation is misspelt: ${problem}`,
      messageExpression: `'the annotation ' + ${unknown}[0] + ${literal(unusable('').slice('the annotation '.length))} + ${literal(problem)}`,
      reason: 'Invalid',
    }
  })

/**
 * Writes the pattern of all names with at most one slip: a character too many, too few or another one, or two
 * that changed places.
 */
export function oneSlipFrom(annotation: string): string {
  const name = annotation.slice(PREFIX.length)
  const slips = [...name].flatMap((letter, at) => {
    const [before, after] = [name.slice(0, at), name.slice(at + 1)]
    const swapped = after === '' ? [] : [`${before}${after[0]}${letter}${after.slice(1)}`]
    return [`${before}.?${after}`, `${before}.${letter}${after}`, ...swapped]
  })
  return `^${PREFIX.replace('.', '\\.')}(?i:${[...slips, `${name}.`].join('|')})$`
}
