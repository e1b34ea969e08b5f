import { statSync } from 'node:fs'
import * as z from 'zod/mini'
import { safeParse } from '../../../shared/schema/index.ts'
import { CONTENT_SCHEMAS } from '../../../shared/settings/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import type { StatusDocument } from '../../local/index.ts'
import { UsageError } from '../usage.ts'
import { lanesSchema, readRunFile } from './run-file.ts'

/** State of a run or a relay, as it reports it. */
export interface RelayReport
  extends Partial<Pick<StatusDocument, 'startedAt' | 'clusters' | 'clusterSets' | 'settings' | 'lanes'>> {
  /** Its URL; of a run that serves nothing, its state directory. */
  readonly url: string
  /** Reason why nothing could be read. */
  readonly error?: string
  readonly ready?: boolean
  /** Answer of `/readyz`. */
  readonly readiness?: string
}

const timeSchema = z.iso.datetime()
const lagSchema = z.object({ samples: z.number(), p50: z.number(), p99: z.number(), maximum: z.number() })
const failureFields = {
  failures: z.number(),
  failureClasses: z.optional(z.record(z.string(), z.number())),
  lastFailure: z.optional(
    z.object({ at: timeSchema, class: z._default(z.string(), 'Unexpected'), message: z.string() }),
  ),
}
/** Reads the list of each guard that a person has to act on. */
const guardFields = {
  problems: z.optional(z.record(z.string(), z.object({ total: z.number(), services: z.array(z.string()) }))),
}
/** Schema of the document that functions/local writes; later versions may add fields. */
const documentSchema = z.object({
  version: z.literal(1),
  startedAt: timeSchema,
  clusters: z.array(
    z.object({
      name: z.string(),
      sameAs: z.optional(z.string()),
      syncedAt: z.optional(timeSchema),
      lastChangeAt: z.optional(timeSchema),
      lastSyncAt: z.optional(timeSchema),
      lastSweep: z.optional(z.object({ at: timeSchema, keys: z.number() })),
      lastAudit: z.optional(z.object({ at: timeSchema, keys: z.number() })),
      ...failureFields,
      ...guardFields,
      waiting: z._default(z.number(), 0),
      writes: z._default(z.number(), 0),
      shadow: z.optional(z.object({ same: z.number(), different: z.number(), invalid: z.number() })),
      secondControllers: z.optional(
        z.array(
          z.object({ manager: z.string(), service: z.string(), at: timeSchema, isMirror: z.boolean() }),
        ),
      ),
      lag: z.optional(lagSchema),
    }),
  ),
  clusterSets: z.optional(
    z.array(
      z.object({
        name: z.string(),
        services: z.number(),
        exports: z.number(),
        imports: z.number(),
        conflicts: z.number(),
        blocked: z.number(),
        leftOut: z.number(),
        ...failureFields,
        ...guardFields,
        // Absent from runs of earlier versions.
        failures: z._default(z.number(), 0),
        lag: z.optional(lagSchema),
      }),
    ),
  ),
  settings: z.optional(z.object(CONTENT_SCHEMAS)),
  lanes: z.optional(lanesSchema),
})

const TIMEOUT_MS = 10_000

/**
 * Reads the status of a run or a relay; errors are part of the report.
 * @param place its URL, without a path; or the directory of a run's `--state-dir`, which has its address
 */
export async function readRelay(place: string): Promise<RelayReport> {
  if (isUrl(place)) return askRelay(place)
  try {
    const run = await readRunFile(place)
    return run.url === undefined ? { url: place, lanes: run.lanes } : await askRelay(run.url)
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
    const status = await get(url, '/status')
    // A relay of a deployment has probes and metrics only.
    if (status.status === 404) return report
    const document = safeParse(documentSchema, await status.json())
    if (!document.success)
      return { ...report, error: `its /status cannot be read: ${z.prettifyError(document.error)}` }
    const { startedAt, clusters, clusterSets, settings, lanes } = document.data
    return {
      ...report,
      startedAt,
      clusters,
      ...(clusterSets && { clusterSets }),
      ...(settings && { settings }),
      ...(lanes && { lanes }),
    }
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
