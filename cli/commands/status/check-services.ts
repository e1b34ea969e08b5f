import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { ownerText, type ServiceKey } from '../../../shared/changes/index.ts'
import {
  createShadowSync,
  describeDifference,
  type ReadableCluster,
} from '../../../shared/reconciler/index.ts'
import type { Settings } from '../../../shared/settings/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import { explainService, type ServiceReport } from '../../explain/index.ts'
import { sampleOf } from '../../inventory/read-inventory.ts'
import type { CheckReport } from './report.ts'

interface CheckOptions {
  /** @throws UnknownClusterError */
  readonly clusterOf: (name: string) => ReadableCluster
  readonly settings: Settings
  /** Number of Services that are checked; default: all. */
  readonly sample?: number | undefined
  readonly signal: AbortSignal
}

/** Maximum number of Services that are read concurrently: fast, with little load for an API server. */
const CONCURRENCY = 8
/** Milliseconds after which a Service that differs is checked again: a sync may be running. */
const SYNC_AGAIN_MS = 3_000

/** Returns what differs of one Service, in words; nothing if it is as it should be. */
type Check = (key: ServiceKey) => Promise<string[]>

/** Checks Services one by one, as a reconcile does; those that differ, twice. Nothing is written. */
export async function checkServices(
  keys: readonly ServiceKey[],
  { sample = keys.length, ...options }: CheckOptions,
): Promise<CheckReport> {
  const check = options.settings.shadow ? shadowCheck(options) : planCheck(options)
  const chosen = sampleOf(keys, sample)
  const failed: { key: string; error: string }[] = []
  const first = await checkAll(chosen, check, failed)
  if (first.length > 0) await sleep(SYNC_AGAIN_MS, undefined, { signal: options.signal })
  const second = await checkAll(
    first.map(({ key }) => key),
    check,
    failed,
  )
  return {
    kind: options.settings.shadow ? 'shadow' : 'plan',
    checked: chosen.length,
    total: keys.length,
    outdated: second.map(({ key, differences }) => ({ key: ownerText(key), differences })),
    failed,
  }
}

interface Differing {
  readonly key: ServiceKey
  readonly differences: readonly string[]
}

async function checkAll(
  keys: readonly ServiceKey[],
  check: Check,
  failed: { key: string; error: string }[],
): Promise<Differing[]> {
  const limit = pLimit(CONCURRENCY)
  const syncs = keys.map((key) =>
    limit(async (): Promise<Differing> => {
      try {
        return { key, differences: await check(key) }
      } catch (error) {
        failed.push({ key: ownerText(key), error: errorMessage(error) })
        return { key, differences: [] }
      }
    }),
  )
  return (await Promise.all(syncs)).filter(({ differences }) => differences.length > 0)
}

const planCheck =
  (options: CheckOptions): Check =>
  async (key) => {
    const report = await explainService({ ...options, key })
    if (report === undefined) return []
    const { state, reason } = report.management
    if (state === 'Invalid' || state === 'Unread') throw new Error(reason)
    return writesOf(report)
  }

const writesOf = ({ writes }: ServiceReport): string[] =>
  Object.entries(writes).flatMap(([verb, names]) => names.map((name) => `would ${verb} ${name}`))

const shadowCheck =
  (options: CheckOptions): Check =>
  async (key) => {
    const sync = await createShadowSync({ ...options, key })()
    return sync.kind === 'compared' ? sync.differences.map(describeDifference) : []
  }
