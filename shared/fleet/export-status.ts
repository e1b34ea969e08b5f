import { withConditions } from './conditions.ts'
import type { Verdict } from './export-verdict.ts'
import type { ServiceExport } from './resources.ts'

export interface ExportFindings {
  /** What merging the exports says of this one. */
  readonly verdicts: readonly Verdict[]
  /** Why it is not imported everywhere, in words; none where it is. */
  readonly problems: readonly string[]
  /** A cluster did not say what it exports. */
  readonly isPartial: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * The ServiceExport with its conditions; undefined where they are as they ought to be. While a cluster does
 * not say what it exports, nobody can say whether there is a conflict: what was said of that stays.
 */
export function exportStatusUpdate(
  existing: ServiceExport,
  { verdicts, problems, isPartial, now }: ExportFindings,
): ServiceExport | undefined {
  const { status, metadata } = existing
  const isValid = verdicts.some((verdict) => verdict.type === 'Valid' && verdict.status === 'True')
  const conflict = isPartial ? status?.conditions?.find(({ type }) => type === 'Conflict') : undefined
  const own =
    conflict === undefined ? verdicts : [...verdicts.filter(({ type }) => type !== 'Conflict'), conflict]
  const time = { generation: metadata?.generation, now: timeText(now) }
  const ready = isValid ? readyVerdict(problems) : NOT_VALID
  const conditions = withConditions(status?.conditions, [...own, ready], time)
  return conditions && { ...existing, status: { ...status, conditions } }
}

/** As metav1.Time has it: in whole seconds. */
export const timeText = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace(/\.\d+/, '')

const NOT_VALID: Verdict = {
  type: 'Ready',
  status: 'False',
  reason: 'Failed',
  message: 'the export is not valid',
}

function readyVerdict(problems: readonly string[]): Verdict {
  if (problems.length === 0)
    return {
      type: 'Ready',
      status: 'True',
      reason: 'Exported',
      message: 'every cluster of the set that can be reached imports it',
    }
  return { type: 'Ready', status: 'False', reason: 'Failed', message: problems.join('; ') }
}
