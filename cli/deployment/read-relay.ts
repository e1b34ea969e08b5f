import { statSync } from 'node:fs'
import { describeIssues, safeParse } from '../../shared/schema/index.ts'
import { errorMessage, parseJson } from '../../shared/values/index.ts'
import { type StatusDocument, statusSchema } from '../local/status/document.ts'
import { UsageError } from '../usage.ts'
import { readRunFile } from './run-file.ts'

/** State of a run or a relay, as it reports it. */
export interface RelayReport extends Partial<Omit<StatusDocument, 'version'>> {
  /** Its URL; of a run that serves nothing, its state directory. */
  readonly url: string
  readonly error?: string
  readonly ready?: boolean
  /** Answer of `/readyz`. */
  readonly readiness?: string
}

const TIMEOUT_MS = 10_000
const CHECK_URL = 'check that it is the URL of a run’s --metrics-port'

/**
 * Reads the status of a run or a relay; errors are part of the report.
 * @param place its URL, without a path; or the directory of a run's `--state-dir`, which has its address
 */
export async function readRelay(place: string): Promise<RelayReport> {
  if (isUrl(place)) return askRelay(place)
  try {
    const run = await readRunFile(place)
    // Queues outlive a run that has ended.
    return { lanes: run.lanes, ...(run.url === undefined ? { url: place } : await askRelay(run.url)) }
  } catch (error) {
    return { url: place, error: reasonOf(error) }
  }
}

/** @throws UsageError where the value of `--relay` can be neither */
export function assertRelay(place: string): void {
  if (isUrl(place) || statSync(place, { throwIfNoEntry: false })?.isDirectory() === true) return
  throw new UsageError(
    `--relay: "${place}" is neither the URL of a run, such as http://127.0.0.1:9090, nor the directory of its --state-dir`,
  )
}

const isUrl = (place: string): boolean => /^https?:$/.test(URL.parse(place)?.protocol ?? '')

async function askRelay(url: string): Promise<RelayReport> {
  try {
    const ready = await get(url, '/readyz')
    const report = { url, ready: ready.ok, readiness: (await ready.text()).trim() }
    const answer = await get(url, '/status')
    // A relay of a deployment has probes and metrics only.
    if (answer.status === 404) return report
    const document = safeParse(statusSchema, parseJson(await answer.text()))
    if (!document.success) {
      const issues = describeIssues(document.issues)
      return { ...report, error: `its /status (${answer.status}) cannot be read: ${issues}; ${CHECK_URL}` }
    }
    const { version: _, ...status } = document.data
    return { ...report, ...status }
  } catch (error) {
    return { url, error: `no answer: ${reasonOf(error)}` }
  }
}

const get = (url: string, path: string): Promise<Response> =>
  fetch(new URL(path, url), { signal: AbortSignal.timeout(TIMEOUT_MS) })

/** Returns the reason of a failed request. fetch() says only that it failed; its cause says why. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return errorMessage(cause)
}
