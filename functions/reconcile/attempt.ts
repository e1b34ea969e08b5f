import {
  ANNOTATION_CLUSTER,
  ANNOTATION_SELECTOR,
  type Selection,
  selectionOf,
} from '../../shared/changes/index.ts'
import {
  type ApplyResult,
  apply,
  type EndpointSlice,
  hintModeOf,
  isOwnedBy,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
  plan,
  type Service,
  type SliceClient,
  type SlicePlan,
} from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES, NotFoundError, SERVICES } from '../../shared/kubernetes/index.ts'
import type { KeyMessage } from '../../shared/queue/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import type { Log, SyncSample } from '../../shared/telemetry/index.ts'
import { type ReadableCluster, UnknownClusterError } from './clusters.ts'
import { createEndpointReader } from './endpoint-reader.ts'
import { createSealedSliceClient, createSliceClient } from './sealed-slices.ts'
import { recordServiceEvent, type ServiceEvent } from './service-events.ts'

export interface AttemptOptions {
  /** @throws UnknownClusterError */
  readonly clusterOf: (name: string) => ReadableCluster
  readonly key: KeyMessage
  readonly settings: Pick<
    Settings,
    'mode' | 'managedBy' | 'maxEndpointsPerSlice' | 'packing' | 'coalescingWindow'
  >
  readonly logger: Log
  readonly signal: AbortSignal
}

/** Some slices could not be written, for other reasons than a conflict; the rest of the plan was. */
export class SliceWriteError extends AggregateError {
  override readonly name = 'SliceWriteError'
  /** Whether trying again can help any of them. */
  readonly retryable: boolean

  constructor(message: string, errors: readonly unknown[]) {
    super(errors, message)
    this.retryable = errors.some((error) => (error as { retryable?: unknown } | null)?.retryable !== false)
  }
}

type Write = Pick<SlicePlan, 'create' | 'update' | 'delete'>

/** What was written, and for a Service that is managed, what was planned. */
export interface AttemptResult extends ApplyResult {
  readonly planned?: PlanSummary
  /** There would be something to write, which was not allowed. */
  readonly isOutdated?: true
}

interface Managed {
  readonly service: Service
  readonly selection: Selection & { kind: 'managed' | 'static' }
  readonly slices: readonly EndpointSlice[]
}

export type PlanSummary = Pick<SyncSample, 'stats' | 'topology' | 'trafficDistribution'>

const NOTHING_WRITTEN: ApplyResult = { created: [], updated: [], deleted: [], failures: [] }
const withDeletes = (slices: readonly EndpointSlice[], planned: SlicePlan): SlicePlan => ({
  ...planned,
  delete: [...planned.delete, ...slices],
})

const OUTDATED: AttemptResult = { ...NOTHING_WRITTEN, isOutdated: true }

const isEmpty = (changes: Write): boolean =>
  changes.create.length + changes.update.length + changes.delete.length === 0

/**
 * A function that reads, plans and applies once, for one key; told not to write, it says whether there would be something
 * to write. Its reads are in this order: the slices, the Service, its
 * pods, the nodes; so whoever writes a slice last saw pods at least as new as those of any earlier writer of it.
 * What it learns of names that others use is kept between its calls, and so are the pods that have not changed.
 * @throws KubernetesError when a read failed: a partial read is never planned with
 * @throws SliceWriteError when writes failed for other reasons than a conflict
 */
export function createAttempt({
  clusterOf,
  key,
  settings,
  logger,
  signal,
}: AttemptOptions): (mayWrite: boolean) => Promise<AttemptResult> {
  const { cluster, namespace, service: name } = key
  const fields = { cluster, namespace, service: name }
  // Names that were refused as taken though no slice of this Service has them: somebody else's.
  const takenNames = new Set<string>()
  const { client } = clusterOf(cluster)
  const readEndpoints = createEndpointReader({ cluster, clusterOf, signal })

  async function attempt(mayWrite: boolean): Promise<AttemptResult> {
    const slices = await readSlices()
    const service = await readService()
    if (service === undefined) return remove(slices, mayWrite)
    const selection = selectionOf(service, settings.mode)
    switch (selection.kind) {
      case 'managed':
      case 'static':
        return reconcile({ service, selection, slices }, mayWrite)
      case 'unmanaged':
        if (selection.leftovers === 'keep') return NOTHING_WRITTEN
        return remove(slices, mayWrite)
      case 'invalid':
        return leave(service, selection.annotation, selection.problem)
    }
  }

  async function readSlices(): Promise<EndpointSlice[]> {
    const labelSelector = `${LABEL_SERVICE_NAME}=${name},${LABEL_MANAGED_BY}=${settings.managedBy}`
    const { items } = await client.list(ENDPOINT_SLICES, { namespace, labelSelector, signal })
    for (const { metadata } of items) takenNames.delete(metadata?.name ?? '')
    return [...items]
  }

  /** Only the API server's own word on this very Service counts as its absence: a proxy's 404 does not. */
  async function readService(): Promise<Service | undefined> {
    try {
      return await client.get(SERVICES, { namespace, name }, { signal })
    } catch (error) {
      const isAbsent =
        error instanceof NotFoundError && error.reason === 'NotFound' && error.status.details?.name === name
      if (isAbsent) return undefined
      throw error
    }
  }

  /** For what is ours and cannot be understood: the slices stay as they are, and a person is told. */
  async function leave(service: Service, annotation: string, problem: string): Promise<ApplyResult> {
    const reason = annotation === ANNOTATION_SELECTOR ? 'InvalidSelector' : 'InvalidAnnotation'
    const message = `the annotation ${annotation} cannot be used: ${problem}; the slices stay as they are until it is mended`
    await report(service, { type: 'Warning', reason, message })
    return NOTHING_WRITTEN
  }

  async function reconcile(
    { service, selection, slices }: Managed,
    mayWrite: boolean,
  ): Promise<AttemptResult> {
    const read = await readEndpoints(service, selection).catch(unknownCluster)
    if (read instanceof UnknownClusterError) return leave(service, ANNOTATION_CLUSTER, read.message)
    const { skipped: unread, ...endpoints } = read
    // Empty slices of an older Service of this name: plan() leaves them to the garbage collector, as upstream does, but not every control plane has one.
    const leftovers = slices.filter((slice) => !slice.endpoints?.length && !isOwnedBy(slice, service))
    const current = slices.filter((slice) => !leftovers.includes(slice))
    const planned = withDeletes(
      leftovers,
      plan(
        { service, slices: current, ...endpoints },
        {
          maxEndpointsPerSlice: settings.maxEndpointsPerSlice,
          managedBy: settings.managedBy,
          packing: settings.packing,
          triggerTime: key.triggerTime,
          namesInUse: takenNames,
        },
      ),
    )
    const skipped = [...unread, ...planned.skipped]
    const [one] = skipped
    if (one !== undefined) {
      const { kind, name: object, message } = one
      logger.warn(
        { ...fields, objects: skipped.length, such: `${kind} ${object}: ${message}` },
        'left objects out',
      )
    }
    if (!mayWrite) return isEmpty(planned) ? NOTHING_WRITTEN : OUTDATED
    const result = await write(planned, createSealedSliceClient(client, signal))
    if (result.conflict === undefined) for (const event of planned.events) await report(service, event)
    return { ...result, planned: summaryOf(service, planned) }
  }

  /** The slices of a Service that is gone or not ours any more. */
  async function remove(slices: EndpointSlice[], mayWrite: boolean): Promise<AttemptResult> {
    if (!mayWrite) return slices.length === 0 ? NOTHING_WRITTEN : OUTDATED
    return write({ create: [], update: [], delete: slices }, createSliceClient(client, signal))
  }

  async function write(changes: Write, slices: SliceClient): Promise<ApplyResult> {
    if (isEmpty(changes)) return NOTHING_WRITTEN
    const result = await apply(slices, changes)
    const { created, updated, deleted, conflict, failures } = result
    if (conflict?.operation === 'create') takenNames.add(conflict.slice.slice(namespace.length + 1))
    const counts = { created: created.length, updated: updated.length, deleted: deleted.length }
    if (conflict === undefined) logger.info({ ...fields, ...counts }, 'wrote slices')
    else
      logger.info(
        { ...fields, ...counts, conflict: conflict.slice },
        'somebody else wrote meanwhile: reading again',
      )
    if (conflict !== undefined || failures.length === 0) return result
    throw new SliceWriteError(
      `failed to write ${failures.length} slices of Service ${namespace}/${name} of cluster ${cluster}: ${textOf(failures[0]?.error)}`,
      failures.map(({ error }) => error),
    )
  }

  /** An Event is for people: the slices are right without it. */
  async function report(service: Service, event: ServiceEvent): Promise<void> {
    const { reason, message } = event
    try {
      const isNew = await recordServiceEvent(client, service, event, signal)
      if (isNew) logger.warn({ ...fields, reason, problem: message }, 'put an Event on the Service')
    } catch (err) {
      logger.warn({ ...fields, reason, err }, 'cannot put an Event on the Service')
    }
  }

  return attempt
}

function summaryOf(service: Service, { stats }: SlicePlan): PlanSummary {
  const mode = hintModeOf(service)
  const byDistribution = mode === 'zone' || mode === 'node'
  return {
    stats,
    topology: mode === 'topology' ? 'Auto' : 'Disabled',
    trafficDistribution: byDistribution ? (service.spec?.trafficDistribution ?? '') : '',
  }
}

function unknownCluster(error: unknown): UnknownClusterError {
  if (error instanceof UnknownClusterError) return error
  throw error
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
