import { ForbiddenError, rbacCommand } from '../../shared/kubernetes/index.ts'
import { errorMessage } from '../../shared/values/index.ts'
import { type Check, type CheckContext, type Finding, failure, type Mark, unchecked } from './check.ts'
import { CHECKS } from './checks/index.ts'
import type { FailOn } from './fail-on.ts'

interface CheckReport extends Finding {
  readonly name: string
}

export interface ClusterPreflight {
  readonly name: string
  /** Its origin; absent where the kubeconfig does not name one that can be used. */
  readonly server?: string
  readonly checks: readonly CheckReport[]
}

/** Document that `sliceflow preflight -o json` prints. Fields are only ever added to a version. */
export interface PreflightReport {
  readonly version: 1
  /** Whether `run` would work, work with warnings, or fail, as `failOn` counts failures. */
  readonly outcome: 'ok' | 'warning' | 'failure'
  readonly clusters: readonly ClusterPreflight[]
}

interface PreflightOptions {
  readonly contexts: readonly CheckContext[]
  /** Clusters of which not even the kubeconfig can be used. Default: none. */
  readonly unusable?: readonly ClusterPreflight[] | undefined
  /** Default `any`. */
  readonly failOn?: FailOn | undefined
  /** Milliseconds between two reports of progress. Default 1,000. */
  readonly progressMs?: number
  /** Called with the names of the clusters that are not done. */
  readonly onProgress?: (waiting: readonly string[]) => void
}

/** Checks all clusters at the same time: one that hangs holds up no other. */
export async function preflight({
  contexts,
  unusable = [],
  failOn = 'any',
  progressMs = 1_000,
  onProgress,
}: PreflightOptions): Promise<PreflightReport> {
  const waiting = new Set(contexts.map(({ cluster }) => cluster.name))
  const timer = setInterval(() => onProgress?.([...waiting]), progressMs)
  try {
    const checks = await Promise.all(
      contexts.map(async (context) => {
        const checked = await checkCluster(context)
        waiting.delete(context.cluster.name)
        return checked
      }),
    )
    const clusters = [...checks, ...unusable]
    // `run` does not start with such a context, whatever the others are like.
    const outcome = unusable.length > 0 ? 'failure' : outcomeOf(clusters, failOn)
    return { version: 1, outcome, clusters }
  } finally {
    clearInterval(timer)
  }
}

async function checkCluster(context: CheckContext): Promise<ClusterPreflight> {
  const { cluster } = context
  const checks: CheckReport[] = []
  let failedGate: string | undefined
  for (const check of CHECKS) {
    const finding =
      failedGate === undefined
        ? await findingOf(check, context)
        : unchecked(`not checked, as the check "${failedGate}" failed`)
    if (finding === undefined) continue
    checks.push({ name: check.name, ...finding })
    if (check.isGate && finding.mark === 'failure') failedGate = check.name
  }
  return { name: cluster.name, server: (await cluster.server()).origin, checks }
}

async function findingOf(check: Check, context: CheckContext): Promise<Finding | undefined> {
  try {
    return await check.run(context)
  } catch (error) {
    if (error instanceof ForbiddenError) return forbidden(error, context)
    return failure(errorMessage(error))
  }
}

/** Reads of these checks alone, which `run` does not need: its exact roles cause no warning. */
function forbidden({ refusal, grant }: ForbiddenError, { cluster }: CheckContext): Finding {
  const command = grant && rbacCommand(grant.flags, grant.user, cluster.kubectl)
  const isForChecksAlone = grant?.flags.includes('--preflight') === true
  const mark = isForChecksAlone ? 'unchecked' : 'warning'
  return { mark, reason: `cannot be checked: ${refusal}`, advice: command }
}

function outcomeOf(clusters: readonly ClusterPreflight[], failOn: FailOn): PreflightReport['outcome'] {
  const failed = clusters.filter(hasFailure).length
  if (failed > 0 && (failOn === 'any' || failed === clusters.length)) return 'failure'
  const hasWarning = clusters.some(({ checks }) => checks.some(({ mark }) => mark === 'warning'))
  return failed > 0 || hasWarning ? 'warning' : 'ok'
}

/** Reports whether `run` would fail in the cluster, or publish there what is wrong. */
const hasFailure = ({ checks }: ClusterPreflight): boolean => checks.some(({ mark }) => mark === 'failure')

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
