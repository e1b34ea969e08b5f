import { ForbiddenError, rbacCommand } from '../../shared/kubernetes/index.ts'
import { type Check, type CheckContext, type Finding, failure, unchecked, warning } from './check.ts'
import { CHECKS } from './checks/index.ts'

export interface CheckReport extends Finding {
  readonly name: string
}

/** Result of a cluster's checks. */
export interface ClusterPreflight {
  readonly name: string
  readonly server: string
  readonly checks: readonly CheckReport[]
}

/** Document that `sliceflow preflight -o json` prints. Fields are only ever added to a version. */
export interface PreflightReport {
  readonly version: 1
  /** The worst mark of all: whether `run` would work, work with warnings, or fail. */
  readonly outcome: 'ok' | 'warning' | 'failure'
  readonly clusters: readonly ClusterPreflight[]
}

export interface PreflightOptions {
  /** The clusters, each with what its checks may look at. */
  readonly contexts: readonly CheckContext[]
  /** Milliseconds between two reports of progress. Default 1,000. */
  readonly progressMs?: number
  /** Called with the names of the clusters that are not done. */
  readonly onProgress?: (waiting: readonly string[]) => void
}

/** Checks all clusters at the same time: one that hangs holds up no other. */
export async function preflight({
  contexts,
  progressMs = 1_000,
  onProgress,
}: PreflightOptions): Promise<PreflightReport> {
  const waiting = new Set(contexts.map(({ cluster }) => cluster.name))
  const timer = setInterval(() => onProgress?.([...waiting]), progressMs)
  try {
    const clusters = await Promise.all(
      contexts.map(async (context) => {
        const checked = await checkCluster(context)
        waiting.delete(context.cluster.name)
        return checked
      }),
    )
    return { version: 1, outcome: outcomeOf(clusters), clusters }
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
    return failure(error instanceof Error ? error.message : String(error))
  }
}

function forbidden({ refusal, grant }: ForbiddenError, { cluster }: CheckContext): Finding {
  const command = grant && rbacCommand(grant.flags, grant.user, cluster.kubectl)
  return warning(`cannot be checked: ${refusal}`, command)
}

function outcomeOf(clusters: readonly ClusterPreflight[]): PreflightReport['outcome'] {
  const marks = clusters.flatMap(({ checks }) => checks.map(({ mark }) => mark))
  if (marks.includes('failure')) return 'failure'
  return marks.includes('warning') ? 'warning' : 'ok'
}
