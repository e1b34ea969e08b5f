import { PERTURBATIONS } from './perturbations.ts'
import { PLANNED_KINDS, type Plan, type PlannedKind, SET_BACK } from './plan.ts'
import type { Played } from './play.ts'

const LOG_LINES = 40

const kindsOf = ({ windows }: Plan): string => windows.map(({ kind }) => kind).join(', then ')

/** Formats the progress in one line. */
export function progressText({ plan, problems, seconds }: Played): string {
  const mark = problems.length === 0 ? 'ok  ' : 'FAIL'
  return `${mark} seed ${plan.seed}, ${plan.mode}: ${kindsOf(plan)}; right after ${seconds.toFixed(1)} s`
}

/** Describes a failure: what went wrong, what was done, the log of Sliceflow, and how to play it again. */
export function failureText(played: Played, again: string): string {
  const { plan, problems, reported, log } = played
  return [
    `seed ${plan.seed}, ${plan.mode}: ${kindsOf(plan)}`,
    ...problems.map((problem) => `  ${problem}`),
    `  To play it again: ${again}`,
    '  What was done:',
    ...reported.map((line) => `    ${line}`),
    `  The last ${LOG_LINES} lines of relay and function:`,
    ...log.slice(-LOG_LINES).map((line) => `    ${line}`),
  ].join('\n')
}

/**
 * Formats a table with a line for each kind of perturbation: plans that had it, how often it happened, and
 * how soon all was right.
 */
export function tableText(results: readonly Played[]): string {
  const rows = PLANNED_KINDS.flatMap((kind) => {
    const having = results.filter(({ plan }) => plan.windows.some((window) => window.kind === kind))
    if (having.length === 0) return []
    const times = having.reduce((sum, { happened }) => sum + (happened.get(kind) ?? 0), 0)
    const failed = having.filter(({ problems }) => problems.length > 0).length
    const slowest = Math.max(...having.map(({ seconds }) => seconds))
    return [
      `| ${kind} | ${having.length} | ${failed} | ${times} ${countsOf(kind)} | ${slowest.toFixed(1)} s |`,
    ]
  })
  return [
    '| perturbation | plans | failed | happened | right again after at most |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}

const countsOf = (kind: PlannedKind): string =>
  kind === SET_BACK ? 'versions given out twice' : PERTURBATIONS[kind].counts
