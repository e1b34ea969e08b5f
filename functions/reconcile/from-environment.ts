import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { ServiceKey } from '../../shared/changes/index.ts'
import { clusterSetOf } from '../../shared/cluster-sets/index.ts'
import { type BatchHandler, createHandler } from '../../shared/queue/consumer/index.ts'
import { LANES, type Lane } from '../../shared/queue/index.ts'
import { functionCallLimits, UnknownClusterError } from '../../shared/reconciler/index.ts'
import { isTracing, openTracing } from '../../shared/tracing/index.ts'
import { once } from '../../shared/values/index.ts'
import {
  type DeployedOptions,
  type Environment,
  EnvironmentError,
  type LaneUrls,
  openClusterSets,
  openDeployedFunction,
  openDeployedMetrics,
  openDeployedQueues,
  openDeployedRecording,
  readLaneUrls,
} from '../environment/index.ts'
import { createFunctionMetrics } from './metrics.ts'
import { createDeployedReconcile } from './reconcile.ts'

export type DeployedHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>

/**
 * Creates the function as it is deployed: on both lanes, with the settings of its environment. Each lane has
 * a handler of its own, as failed and malformed messages go back to the queue that they came from.
 * @throws EnvironmentError naming what is missing or wrong
 */
export async function createDeployedHandler(options: DeployedOptions): Promise<DeployedHandler> {
  const { environment, write } = options
  const { invocation, logger, settings, configs, clusters } = openDeployedFunction(
    options,
    functionCallLimits,
  )
  const lanes = readLaneUrls(environment)
  const sets = openClusterSets({ settings, clusters: configs, clients: clusters })
  const emf = openDeployedMetrics(environment, { write })
  const metrics = createFunctionMetrics(emf, publishedVersion(environment))
  const queues = openDeployedQueues(logger)
  const recording = await openDeployedRecording({
    environment,
    settings,
    worker: environment.AWS_LAMBDA_LOG_STREAM_NAME ?? 'reconcile',
    request: () => invocation.fields().requestId,
    logger,
    onLost: (records) => metrics.lostRecords(records),
  })
  const openOnce = once(() => openTracing({ settings, service: 'sliceflow-reconcile', logger }))
  // Loaded here only: most deployments trace nothing.
  const tracing = isTracing(settings) && (await import('../../shared/tracing/reconcile-traces.ts'))
  const traces = tracing ? tracing.createReconcileTraces(openOnce) : undefined

  const common: Parameters<typeof createDeployedReconcile>[0]['common'] = {
    clientOf(cluster) {
      const client = clusters.find(cluster)
      if (client !== undefined) return traces?.client(client) ?? client
      throw UnknownClusterError.among(clusters.names(), cluster)
    },
    settings,
    logger,
    onReconciled(outcome) {
      metrics.reconciled(outcome)
      traces?.reconciled(outcome)
    },
    onFailed: (key, error) => metrics.failed(dimensionOf(key), error),
    onCompared: (compared) => metrics.compared(compared),
  }
  const reconcile = await createDeployedReconcile({ clusters, sets, common, recorder: recording?.recorder })

  const handlers: Readonly<Record<Lane, BatchHandler>> = {
    live: handlerOf('live'),
    sweep: handlerOf('sweep'),
  }

  /** Chooses the dimension of a cluster: a message may name any cluster, and each would be a paid metric. */
  function dimensionOf({ cluster }: Pick<ServiceKey, 'cluster'>): string {
    const set = clusterSetOf({ cluster })
    const isKnown = set === undefined ? clusters.has(cluster) : sets().some(({ name }) => name === set)
    return isKnown ? cluster : 'unknown'
  }

  function handlerOf(lane: Lane): BatchHandler {
    const { keysPerCluster, maxReceiveCount } = settings
    return createHandler({
      reconcile: traces?.reconcile(reconcile) ?? reconcile,
      deadLetters: queues.deadLetters(lanes[lane]),
      visibility: queues.received(lanes[lane]),
      logger,
      settings: { concurrencyPerCluster: keysPerCluster, maxReceiveCount },
      onDeadLetter: ({ failureClass }) => metrics.deadLetter(failureClass),
      onLeft: (key) => metrics.left(dimensionOf(key)),
    })
  }

  return async (event, context) => {
    invocation.began(context)
    const lane = laneOf(event, lanes)
    try {
      const response = await handlers[lane](event, context)
      metrics.handled(lane, event, response)
      return response
    } finally {
      // Until the next call the execution environment may be frozen, or gone.
      const end = AbortSignal.timeout(flushMs(context))
      await Promise.all([recording?.flush(end), traces?.flush(end)])
      metrics.flush()
    }
  }
}

/** Returns the version of a function that is called by an alias, as where new versions come gradually. */
const publishedVersion = ({ AWS_LAMBDA_FUNCTION_VERSION: version }: Environment): string | undefined =>
  version === '$LATEST' ? undefined : version

/** Maximum milliseconds for recordings and traces at the end of a call, before the answer is due. */
const FLUSH_MS = 5_000
const ANSWER_MS = 250
const flushMs = (context: Context): number =>
  Math.max(0, Math.min(FLUSH_MS, context.getRemainingTimeInMillis() - ANSWER_MS))

/** Finds the lane of an event, whose records are all of one queue: that of its event source mapping. */
function laneOf(event: SQSEvent, lanes: Readonly<Record<Lane, LaneUrls>>): Lane {
  const arn = event.Records[0]?.eventSourceARN ?? ''
  const queue = arn.slice(arn.lastIndexOf(':') + 1)
  const lane = LANES.find((name) => new URL(lanes[name].queue).pathname.split('/').at(-1) === queue)
  if (lane !== undefined) return lane
  throw new EnvironmentError(
    `the event is of queue ${arn || '(none)'}, which is neither the live nor the sweep lane's; check the function's event source mappings`,
  )
}
