import type { Outcome } from './run-spec.ts'

/** Describes an outcome in one line, while the specs run. */
export const describeOutcome = ({ spec, passed, seconds, reason }: Outcome): string =>
  `${passed ? 'passed' : 'FAILED'} ${seconds.toFixed(1).padStart(5)} s  ${spec.name}${reason && `\n        ${reason}`}`

/**
 * Formats a table of all outcomes, and their sum.
 * @param expectations false: all have to pass
 */
export function judge(
  outcomes: readonly Outcome[],
  expectations: boolean,
): { text: string; failed: boolean } {
  const lines = outcomes.map(({ spec, passed }) => `${verdict(passed, spec.missing)}  ${spec.name}\n`)
  const passed = outcomes.filter((outcome) => outcome.passed).length
  const sum = `${passed} passed, ${outcomes.length - passed} failed of ${outcomes.length}\n`
  const failed = outcomes.some(({ spec, passed }) => !passed && !(expectations && spec.missing))
  return { text: `${lines.join('')}${sum}`, failed }
}

function verdict(passed: boolean, missing: string | undefined): string {
  if (passed) return 'passed'
  return missing === undefined ? 'FAILED' : `failed: no ${missing}`
}
