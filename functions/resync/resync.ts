import { type KeyText, keyText, type ServiceKey, selectionOf } from '../../shared/changes/index.ts'
import { LABEL_MANAGED_BY, LABEL_SERVICE_NAME } from '../../shared/endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES, labelName, SERVICES } from '../../shared/kubernetes/index.ts'
import type { QueueSender } from '../../shared/queue/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'

export interface ResyncOptions {
  readonly clients: readonly ApiClient[]
  readonly settings: Pick<Settings, 'mode' | 'managedBy'>
  /** Of the sweep lane. */
  readonly sender: QueueSender
  readonly logger: Log
  readonly signal?: AbortSignal
}

export interface ResyncResult {
  /** Keys sent. */
  readonly keys: number
  /** The same of each cluster whose keys were all sent. */
  readonly sent: ReadonlyMap<string, number>
  /** Clusters that could not be read, or whose keys could not all be sent, and why. */
  readonly failures: readonly { readonly cluster: string; readonly error: unknown }[]
}

/** Keys of part of the clusters could not be sent; the others' were. */
export class ResyncError extends AggregateError {
  override readonly name = 'ResyncError'
}

/**
 * Sends every key of every cluster to the sweep lane: each managed Service, and each Service that a slice of ours names
 * though it is gone or no longer managed. Clusters are read side by side; one that fails holds up no other.
 */
export async function resync({
  clients,
  settings,
  sender,
  logger,
  signal,
}: ResyncOptions): Promise<ResyncResult> {
  const outcomes = await Promise.allSettled(
    clients.map((client) => resyncCluster(client, { settings, sender, signal })),
  )
  let keys = 0
  const sent = new Map<string, number>()
  const failures: { cluster: string; error: unknown }[] = []
  for (const [index, outcome] of outcomes.entries()) {
    const cluster = clients[index]?.cluster ?? ''
    if (outcome.status === 'fulfilled') {
      keys += outcome.value
      sent.set(cluster, outcome.value)
      logger.info({ cluster, keys: outcome.value }, 'sent every key of the cluster to the sweep lane')
    } else if (!signal?.aborted) {
      failures.push({ cluster, error: outcome.reason })
      logger.warn({ cluster, err: outcome.reason }, 'cannot resync the cluster')
    }
  }
  return { keys, sent, failures }
}

type ClusterOptions = Pick<ResyncOptions, 'settings' | 'sender' | 'signal'>

async function resyncCluster(
  client: ApiClient,
  { settings, sender, signal }: ClusterOptions,
): Promise<number> {
  const sent = new Set<KeyText>()
  async function send(keys: readonly ServiceKey[]): Promise<void> {
    const fresh = keys.filter((key) => !sent.has(keyText(key)))
    for (const key of fresh) sent.add(keyText(key))
    const { unsent, rejected } = await sender.send(fresh, signal)
    const missing = unsent.length + rejected.length
    if (missing > 0) throw new Error(`the queue did not take ${missing} of ${fresh.length} keys`)
  }
  for await (const keys of managedServices(client, settings, signal)) await send(keys)
  for await (const keys of servicesOfSlices(client, settings, signal)) await send(keys)
  return sent.size
}

async function* managedServices(
  client: ApiClient,
  { mode }: ClusterOptions['settings'],
  signal?: AbortSignal,
): AsyncGenerator<ServiceKey[]> {
  for await (const { items } of client.pages(SERVICES, { signal })) {
    yield items
      .filter((service) => selectionOf(service, mode).kind !== 'unmanaged')
      .map(({ metadata }) => ({
        cluster: client.cluster,
        namespace: metadata?.namespace ?? '',
        service: metadata?.name ?? '',
      }))
  }
}

async function* servicesOfSlices(
  client: ApiClient,
  { managedBy }: ClusterOptions['settings'],
  signal?: AbortSignal,
): AsyncGenerator<ServiceKey[]> {
  const labelSelector = `${LABEL_MANAGED_BY}=${managedBy},${LABEL_SERVICE_NAME}`
  for await (const { items } of client.pages(ENDPOINT_SLICES, {
    labelSelector,
    metadataOnly: true,
    signal,
  })) {
    yield items
      .map(({ metadata }) => ({
        cluster: client.cluster,
        namespace: metadata?.namespace ?? '',
        service: metadata?.labels?.[LABEL_SERVICE_NAME] ?? '',
      }))
      .filter(({ service }) => labelName(service).length === 0)
  }
}
