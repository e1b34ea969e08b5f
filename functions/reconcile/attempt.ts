import { ANNOTATION_SELECTOR, selectionOf } from '../../shared/changes/index.ts'
import {
  type ApplyResult,
  apply,
  type EndpointSlice,
  hintModeOf,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
  type Node,
  type Pod,
  plan,
  type Service,
  type SliceClient,
  type SlicePlan,
} from '../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  ENDPOINT_SLICES,
  formatLabelSelector,
  type LabelRequirement,
  NotFoundError,
  PODS,
  SERVICES,
} from '../../shared/kubernetes/index.ts'
import type { KeyMessage } from '../../shared/queue/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import type { NodeReader } from './node-reader.ts'
import { createSealedSliceClient, createSliceClient } from './sealed-slices.ts'
import { recordServiceEvent, type ServiceEvent } from './service-events.ts'

export interface AttemptOptions {
  readonly client: ApiClient
  readonly nodes: NodeReader
  readonly key: KeyMessage
  readonly settings: Pick<Settings, 'mode' | 'managedBy' | 'maxEndpointsPerSlice' | 'packing'>
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

const NOTHING_WRITTEN: ApplyResult = { created: [], updated: [], deleted: [], failures: [] }

/**
 * A function that reads, plans and applies once, for one key. Its reads are in this order: the slices, the Service, its
 * pods, the nodes; so whoever writes a slice last saw pods at least as new as those of any earlier writer of it.
 * What it learns of names that others use is kept between its calls, and so are the pods that have not changed.
 * @throws KubernetesError when a read failed: a partial read is never planned with
 * @throws SliceWriteError when writes failed for other reasons than a conflict
 */
export function createAttempt({
  client,
  nodes,
  key,
  settings,
  logger,
  signal,
}: AttemptOptions): () => Promise<ApplyResult> {
  const { cluster, namespace, service: name } = key
  const fields = { cluster, namespace, service: name }
  // Names that were refused as taken though no slice of this Service has them: somebody else's.
  const takenNames = new Set<string>()
  let pods: readonly Pod[] | undefined

  async function attempt(): Promise<ApplyResult> {
    const slices = await readSlices()
    const service = await readService()
    if (service === undefined)
      return write({ create: [], update: [], delete: slices }, createSliceClient(client, signal))
    const selection = selectionOf(service, settings.mode)
    switch (selection.kind) {
      case 'managed':
        return reconcile(service, selection.selector, slices)
      case 'unmanaged':
        if (selection.leftovers === 'keep') return NOTHING_WRITTEN
        return write({ create: [], update: [], delete: slices }, createSliceClient(client, signal))
      case 'invalid':
        await report(service, {
          type: 'Warning',
          reason: 'InvalidSelector',
          message: `the annotation ${ANNOTATION_SELECTOR} cannot be used: ${selection.problem}; the slices stay as they are until it is mended`,
        })
        return NOTHING_WRITTEN
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

  /** Whole Pods are large: a second attempt reads their metadata first, and the rest only if something has changed. */
  async function readPods(labelSelector: string): Promise<readonly Pod[]> {
    const list = { namespace, labelSelector, signal }
    if (pods !== undefined) {
      const { items } = await client.list(PODS, { ...list, metadataOnly: true })
      if (haveSameVersions(items, pods)) return pods
    }
    pods = (await client.list(PODS, list)).items
    return pods
  }

  async function reconcile(
    service: Service,
    selector: readonly LabelRequirement[],
    slices: readonly EndpointSlice[],
  ): Promise<ApplyResult> {
    const labelSelector = formatLabelSelector(selector)
    const pods = await readPods(labelSelector)
    const needed = pods.length > 0
    const read: readonly Node[] = needed
      ? await nodes.read({ whole: hintModeOf(service) === 'topology', signal })
      : []
    const planned = plan(
      { service, pods, nodes: read, slices },
      {
        maxEndpointsPerSlice: settings.maxEndpointsPerSlice,
        managedBy: settings.managedBy,
        packing: settings.packing,
        triggerTime: key.triggerTime,
        namesInUse: takenNames,
      },
    )
    const [skipped] = planned.skipped
    if (skipped !== undefined) {
      const { kind, name: object, message } = skipped
      logger.warn(
        { ...fields, objects: planned.skipped.length, such: `${kind} ${object}: ${message}` },
        'left objects out',
      )
    }
    const result = await write(planned, createSealedSliceClient(client, signal))
    if (result.conflict === undefined) for (const event of planned.events) await report(service, event)
    return result
  }

  async function write(changes: Write, slices: SliceClient): Promise<ApplyResult> {
    if (changes.create.length + changes.update.length + changes.delete.length === 0) return NOTHING_WRITTEN
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

function haveSameVersions(some: readonly Pod[], others: readonly Pod[]): boolean {
  const versions = new Map(others.map(({ metadata }) => [metadata?.uid, metadata?.resourceVersion]))
  return (
    some.length === versions.size &&
    some.every(({ metadata }) => versions.get(metadata?.uid) === metadata?.resourceVersion)
  )
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
