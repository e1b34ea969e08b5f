import type { Mark } from './check.ts'
import { type ClusterPreflight, hasFailure, type PreflightReport } from './preflight.ts'

const SIGNS: Readonly<Record<Mark, string>> = { ok: '✓', warning: '!', failure: '✗', unchecked: '-' }
const OUTCOMES = {
  ok: 'run would work',
  warning: 'run would work, with warnings',
  failure: 'run would fail',
} as const

/** Writes the report for people: a line for each check, with a mark, a reason and what to type. */
export function describePreflight({ outcome, clusters }: PreflightReport): string {
  const failed = clusters.filter(hasFailure).length
  const isPartial = outcome !== 'failure' && failed > 0
  const parts = `run would work for ${clusters.length - failed} of ${clusters.length} clusters`
  return [...clusters.flatMap(clusterLines), isPartial ? parts : OUTCOMES[outcome], ''].join('\n')
}

function clusterLines({ name, server, checks }: ClusterPreflight): string[] {
  const shown = groupUnchecked(checks)
  return [
    server === undefined ? name : `${name} (${server})`,
    ...shown.map(({ name: check, mark, reason, advice }) => {
      const arrow = advice === undefined ? '' : ` → ${advice}`
      return `  ${SIGNS[mark]} ${check}: ${reason}${arrow}`
    }),
  ]
}

type Shown = ClusterPreflight['checks'][number]

/** Puts checks that were not made for the same reason into one line. */
function groupUnchecked(checks: readonly Shown[]): Shown[] {
  const groups = Map.groupBy(checks, ({ name, mark, reason }) => (mark === 'unchecked' ? reason : name))
  return [...groups.values()].flatMap(([first, ...more]) =>
    first === undefined ? [] : [{ ...first, name: [first, ...more].map(({ name }) => name).join(', ') }],
  )
}
