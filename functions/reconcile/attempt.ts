import {
  ANNOTATION_CLUSTER,
  ANNOTATION_SELECTOR,
  type Selection,
  selectionOf,
} from '../../shared/changes/index.ts'
import type { ApplyResult, EndpointSlice, Service, SliceClient } from '../../shared/endpointslice/index.ts'
import type { KeyMessage } from '../../shared/queue/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import { type ReadableCluster, UnknownClusterError } from './clusters.ts'
import { createEndpointReader } from './endpoint-reader.ts'
import { type PlanSummary, planService, summaryOf } from './plan-service.ts'
import { readState } from './read-state.ts'
import { createReporter } from './reporter.ts'
import { createSealedSliceClient, createSliceClient } from './sealed-slices.ts'
import { type Changes, isEmpty, NOTHING_WRITTEN, writeSlices } from './write-slices.ts'

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

const OUTDATED: AttemptResult = { ...NOTHING_WRITTEN, isOutdated: true }

/**
 * A function that does these once for one key; told not to write, it says whether there would be something to write.
 * 1. Read the slices and then the Service.
 * 2. Select: what the Service asks for, by its mode and annotations.
 * 3. Read its pods and nodes, and plan.
 * 4. Write, and tell people.
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
  // Names that were refused as taken though no slice of this Service has them: somebody else's.
  const takenNames = new Set<string>()
  const { client } = clusterOf(key.cluster)
  const readEndpoints = createEndpointReader({ cluster: key.cluster, clusterOf, signal })
  const reporter = createReporter({ client, key, logger, signal })

  async function attempt(mayWrite: boolean): Promise<AttemptResult> {
    // 1.
    const { slices, service } = await readState({ client, key, managedBy: settings.managedBy, signal })
    for (const { metadata } of slices) takenNames.delete(metadata?.name ?? '')
    if (service === undefined) return remove(slices, mayWrite)
    // 2.
    const selection = selectionOf(service, settings.mode)
    switch (selection.kind) {
      case 'managed':
      case 'static':
        return reconcile({ service, selection, slices }, mayWrite)
      case 'unmanaged':
        return selection.leftovers === 'keep' ? NOTHING_WRITTEN : remove(slices, mayWrite)
      case 'invalid':
        return leave(service, selection.annotation, selection.problem)
    }
  }

  async function reconcile(
    { service, selection, slices }: Managed,
    mayWrite: boolean,
  ): Promise<AttemptResult> {
    // 3.
    const endpoints = await readEndpoints(service, selection).catch(unknownCluster)
    if (endpoints instanceof UnknownClusterError) return leave(service, ANNOTATION_CLUSTER, endpoints.message)
    const { triggerTime } = key
    const planned = planService({ service, slices, endpoints, settings, triggerTime, takenNames })
    reporter.skipped(planned.skipped)
    // 4.
    const result = await write(planned, createSealedSliceClient(client, signal), mayWrite)
    if (!mayWrite) return result
    if (result.conflict === undefined)
      for (const event of planned.events) await reporter.event(service, event)
    return { ...result, planned: summaryOf(service, planned) }
  }

  /** The slices of a Service that is gone or not ours any more. */
  async function remove(slices: readonly EndpointSlice[], mayWrite: boolean): Promise<AttemptResult> {
    const changes = { create: [], update: [], delete: [...slices] }
    return write(changes, createSliceClient(client, signal), mayWrite)
  }

  async function write(changes: Changes, slices: SliceClient, mayWrite: boolean): Promise<AttemptResult> {
    if (!mayWrite) return isEmpty(changes) ? NOTHING_WRITTEN : OUTDATED
    const result = await writeSlices(changes, { slices, key, logger })
    const { conflict } = result
    if (conflict?.operation === 'create') takenNames.add(conflict.slice.slice(key.namespace.length + 1))
    return result
  }

  /** For what is ours and cannot be understood: the slices stay as they are, and a person is told. */
  async function leave(service: Service, annotation: string, problem: string): Promise<ApplyResult> {
    const reason = annotation === ANNOTATION_SELECTOR ? 'InvalidSelector' : 'InvalidAnnotation'
    const message = `the annotation ${annotation} cannot be used: ${problem}; the slices stay as they are until it is mended`
    await reporter.event(service, { type: 'Warning', reason, message })
    return NOTHING_WRITTEN
  }

  return attempt
}

function unknownCluster(error: unknown): UnknownClusterError {
  if (error instanceof UnknownClusterError) return error
  throw error
}
