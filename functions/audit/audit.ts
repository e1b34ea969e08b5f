import type { ScheduledHandler } from 'aws-lambda'
import {
  asksForEndpoints,
  ENDPOINT_SELECTOR,
  isPublished,
  type KeyText,
  keyText,
  type OtherOwner,
  type OwnerName,
  ownerOf,
  publishedOwners,
} from '../../shared/changes/index.ts'
import { LABEL_MANAGED_BY } from '../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  type ApiObject,
  ENDPOINT_SLICES,
  ENDPOINTS,
  labelName,
  SERVICES,
} from '../../shared/kubernetes/index.ts'
import { type KeyMessage, type QueueSender, sendBatches } from '../../shared/queue/index.ts'
import { listOwners } from '../../shared/reconciler/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import { workingTime } from '../../shared/values/index.ts'
import type { AuditMetrics } from './metrics.ts'
import type { AuditSlots } from './slots.ts'

interface AuditOptions {
  /** All clusters; those whose turn it is not are not asked anything. */
  readonly clients: readonly ApiClient[]
  readonly settings: Pick<Settings, 'mode' | 'managedBy'> &
    Partial<Pick<Settings, 'mirrorEndpoints' | 'endpointSelectors' | 'serviceProjection'>>
  readonly slots: AuditSlots
  /** The one whose keys are sent. */
  readonly slot: number
  /** Sender of the sweep lane; it delays each message as its place says. */
  readonly sender: QueueSender
  readonly signal?: AbortSignal
}

interface AuditResult {
  /** Keys sent, of each cluster of which all were sent whose turn it is. */
  readonly sent: ReadonlyMap<string, number>
  /** Clusters that could not be read, or whose keys could not all be sent, and why. */
  readonly failures: readonly AuditFailure[]
}

interface AuditFailure {
  readonly cluster: string
  readonly error: unknown
}

/** Keys of part of the clusters could not be sent; the others' were. */
export class AuditError extends AggregateError {
  override readonly name = 'AuditError'
}

interface AuditHandlerOptions extends Omit<AuditOptions, 'slot' | 'signal'> {
  readonly metrics: AuditMetrics
  readonly logger: Log
}

/**
 * Creates the Lambda handler of the schedule. It audits the slot of the time that the event says, so that a
 * retry is of the same slot. Without a time, as when it is called by hand, it is the present one.
 * @throws AuditError where a cluster failed or the time was over, so that Lambda tries the slot again and
 *   alarms see it
 */
export function createAuditHandler({ metrics, logger, ...options }: AuditHandlerOptions): ScheduledHandler {
  return async ({ time }, context) => {
    const scheduled = Date.parse(time)
    const slot = options.slots.at(Number.isNaN(scheduled) ? Date.now() : scheduled)
    const { sent, failures } = await auditSlot({ ...options, slot, signal: workingTime(context) })
    for (const [cluster, keys] of sent) {
      metrics.sent(keys)
      logger.info({ cluster, slot, keys }, 'sent a part of the keys of the cluster to the sweep lane')
    }
    for (const { cluster, error } of failures) {
      metrics.failed(cluster)
      logger.warn({ cluster, slot, err: error }, 'cannot audit the cluster')
    }
    metrics.flush()
    if (failures.length === 0) return
    const clusters = failures.map(({ cluster }) => cluster).join(', ')
    throw new AuditError(
      failures.map(({ error }) => error),
      `failed to audit ${clusters}`,
    )
  }
}

/**
 * Sends the keys whose turn it is to the sweep lane: of each Service that may be managed or have Endpoints to
 * mirror, and of each that a slice of ours names though it is gone or no longer managed. Only names and
 * annotations are read. Clusters are read side by side; one that fails holds up no other.
 */
export async function auditSlot(options: AuditOptions): Promise<AuditResult> {
  const { clients, slots, slot } = options
  const turns = clients.flatMap((client) => {
    const part = slots.partOf(client.cluster, slot)
    return part === undefined ? [] : [{ client, part }]
  })
  const audits = turns.map(async ({ client, part }): Promise<AuditedPart | AuditFailure> => {
    const { cluster } = client
    try {
      return { cluster, keys: await auditPart(client, part, options) }
    } catch (error) {
      return { cluster, error }
    }
  })
  const outcomes = await Promise.all(audits)
  const sent = new Map(
    outcomes.flatMap((outcome) => ('keys' in outcome ? [[outcome.cluster, outcome.keys] as const] : [])),
  )
  const failures = outcomes.filter((outcome) => 'error' in outcome)
  return { sent, failures }
}

interface AuditedPart {
  readonly cluster: string
  readonly keys: number
}

type PartOptions = Pick<AuditOptions, 'settings' | 'slots' | 'sender' | 'signal'>

async function auditPart(client: ApiClient, part: number, options: PartOptions): Promise<number> {
  const { sender, signal } = options
  const { sent, problem } = await sendBatches(sender, keysOfPart(client, part, options), signal)
  if (problem !== undefined) throw new Error(problem)
  return sent
}

/** Yields each key of the part once. */
async function* keysOfPart(
  client: ApiClient,
  part: number,
  { settings, slots, signal }: PartOptions,
): AsyncGenerator<KeyMessage[]> {
  const known = new Set<KeyText>()
  for await (const names of owners(client, settings, signal)) {
    const keys: KeyMessage[] = []
    for (const name of names) {
      const key: KeyMessage = { cluster: client.cluster, ...name, audit: true }
      if (slots.placeOf(key).part !== part || known.has(keyText(key))) continue
      known.add(keyText(key))
      keys.push(key)
    }
    yield keys
  }
}

async function* owners(
  client: ApiClient,
  settings: PartOptions['settings'],
  signal?: AbortSignal,
): AsyncGenerator<OwnerName[]> {
  yield* services(client, settings, signal)
  yield* servicesOfEndpoints(client, settings, signal)
  yield* servicesOfSlices(client, settings, signal)
  for (const owner of publishedOwners(settings)) yield* otherOwners(client, owner, signal)
}

/**
 * Yields Services. In replace mode some are not managed, as their selectors are not read: syncing one of
 * these costs two requests. With projections each is yielded as an EndpointSelector of its name as well, for
 * the same reason.
 */
async function* services(
  client: ApiClient,
  { mode, serviceProjection }: PartOptions['settings'],
  signal?: AbortSignal,
): AsyncGenerator<OwnerName[]> {
  for await (const { items } of client.pages(SERVICES, { metadataOnly: true, signal })) {
    yield items
      .filter(({ metadata }) => mode === 'replace' || asksForEndpoints(metadata?.annotations))
      .map(nameOf)
    if (serviceProjection) yield items.map((item) => ({ ...nameOf(item), ownerKind: ENDPOINT_SELECTOR }))
  }
}

const nameOf = ({ metadata }: ApiObject): OwnerName => ({
  namespace: metadata?.namespace ?? '',
  service: metadata?.name ?? '',
})

/** Excludes the Endpoints that the in-tree controller makes, which labels them since Kubernetes 1.33. */
const BY_HAND = 'endpoints.kubernetes.io/managed-by!=endpoint-controller'

/** Yields what has Endpoints that may be mirrored, if not every Service is yielded anyway. */
async function* servicesOfEndpoints(
  client: ApiClient,
  { mode, mirrorEndpoints = false }: PartOptions['settings'],
  signal?: AbortSignal,
): AsyncGenerator<OwnerName[]> {
  if (!mirrorEndpoints || mode === 'replace') return
  const options = { labelSelector: BY_HAND, metadataOnly: true, signal }
  for await (const { items } of client.pages(ENDPOINTS, options))
    yield items.map(nameOf).filter(({ service }) => labelName(service).length === 0)
}

/** Yields what slices of ours name. */
async function* servicesOfSlices(
  client: ApiClient,
  settings: PartOptions['settings'],
  signal?: AbortSignal,
): AsyncGenerator<OwnerName[]> {
  const list = { labelSelector: `${LABEL_MANAGED_BY}=${settings.managedBy}`, metadataOnly: true, signal }
  for await (const { items } of client.pages(ENDPOINT_SLICES, list)) {
    yield items
      .flatMap((slice) => ownerOf(slice) ?? [])
      .filter(({ ownerKind }) => isPublished(ownerKind, settings))
  }
}

/** Yields the owners of another kind than Service in a cluster that serves it. */
async function* otherOwners(
  client: ApiClient,
  other: OtherOwner,
  signal?: AbortSignal,
): AsyncGenerator<OwnerName[]> {
  for await (const items of listOwners(client, other, { metadataOnly: true, signal }))
    yield items.map((item) => ({ ...nameOf(item), ownerKind: other.owner.kind }))
}
