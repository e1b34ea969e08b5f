import { setTimeout as sleep } from 'node:timers/promises'
import type { ScheduledHandler } from 'aws-lambda'
import { ANNOTATION_ADDRESSES } from '../../shared/changes/index.ts'
import { SERVICE_OWNER } from '../../shared/endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES, SERVICES } from '../../shared/kubernetes/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import { workingMs } from '../../shared/values/index.ts'
import type { CanaryMetrics } from './metrics.ts'

/** The Service of infra/rbac/canary.yaml, one a cluster. */
export const CANARY = { namespace: 'sliceflow-canary', name: 'sliceflow-canary' } as const

/** Addresses for documentation (RFC 5737): no packet for them arrives anywhere. */
const NETWORK = '192.0.2'
const ADDRESSES = 254
/** Addresses that the setting `allowedAddresses` must grant. */
export const CANARY_GRANT = `*/${CANARY.namespace}=${NETWORK}.0/24`

/** Milliseconds reserved for logs and metrics at the end; at most a quarter of the time limit. */
const RESERVE_MS = 5_000
/** A call a minute: it ends before the next one begins. */
const MAX_MS = 45_000
const FIRST_PAUSE_MS = 50
const MAX_PAUSE_MS = 1_000

interface CanaryOptions {
  readonly clients: readonly ApiClient[]
  readonly metrics: CanaryMetrics
  readonly logger: Log
}

/**
 * Creates the Lambda handler of the schedule. It changes the canary's Service in every cluster and measures
 * how long it takes until a slice shows the change. It asks nothing of Sliceflow itself, and so sees what
 * users see.
 * A cluster that fails is counted and does not hide the others.
 */
export function createCanaryHandler({ clients, metrics, logger }: CanaryOptions): ScheduledHandler {
  return async (_event, context) => {
    const ms = Math.min(MAX_MS, workingMs(context, RESERVE_MS))
    const signal = AbortSignal.timeout(ms)
    await Promise.all(
      clients.map(async (client) => {
        const { cluster } = client
        try {
          const seconds = await changeAndWait(client, signal)
          metrics.published(cluster, seconds)
          logger.info({ cluster, seconds }, 'the change of the canary was published')
        } catch (error) {
          metrics.failed(cluster)
          const err = signal.aborted ? new Error(`no slice shows the change after ${ms / 1000} s`) : error
          logger.warn({ cluster, err }, 'the change of the canary was not published')
        }
      }),
    )
    metrics.flush()
  }
}

/**
 * Changes the Service until a slice shows it: the canary of another deployment may have changed it meanwhile.
 * @returns seconds from the change until a slice shows it
 */
async function changeAndWait(client: ApiClient, signal: AbortSignal): Promise<number> {
  // Differs from the addresses of the last two calls, without a read.
  const address = `${NETWORK}.${1 + (Math.floor(Date.now() / 1000) % ADDRESSES)}`
  const patch = { metadata: { annotations: { [ANNOTATION_ADDRESSES]: address } } }
  const change = () => client.patch(SERVICES, CANARY, patch, { metadataOnly: true, signal })
  await change()
  const changedAt = performance.now()
  let pauseMs = FIRST_PAUSE_MS
  while (!(await isPublished(client, address, signal))) {
    await sleep(pauseMs, undefined, { signal })
    pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 1.5)
    // Has no effect unless another canary has changed the Service since.
    if (pauseMs === MAX_PAUSE_MS) await change()
  }
  return (performance.now() - changedAt) / 1000
}

async function isPublished(client: ApiClient, address: string, signal: AbortSignal): Promise<boolean> {
  const { items } = await client.list(ENDPOINT_SLICES, {
    namespace: CANARY.namespace,
    labelSelector: SERVICE_OWNER.selector(CANARY.name),
    signal,
  })
  return items.some(({ endpoints }) => endpoints?.some(({ addresses }) => addresses.includes(address)))
}
