import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { startEmbeddedQueue } from '../../cli/local/embedded-queue/embedded-queue.ts'
import { startEventSourceMapping } from '../../cli/local/index.ts'
import { startRelay } from '../../functions/relay/index.ts'
import { type ClusterConnection, createApiClient } from '../../shared/kubernetes/index.ts'
import { createHandler } from '../../shared/queue/consumer/index.ts'
import {
  createDeadLetterSender,
  createQueueSender,
  createReceivedMessages,
  LANES,
  type Lane,
  type QueueClient,
} from '../../shared/queue/index.ts'
import { createReconciler, limitClusterCalls } from '../../shared/reconciler/index.ts'
import { parseSettings, type SettingsInput } from '../../shared/settings/index.ts'
import { createLogger } from '../../shared/telemetry/index.ts'
import { createView, type Door, type DoorOptions, openDoor, type View } from './door.ts'

/** A part of Sliceflow that can be killed and started again, and what it sees of the API server meanwhile. */
interface Part {
  readonly view: View
  /** Kills it as SIGKILL does: nothing that it still does reaches the server or the queue. */
  kill(): void
  /** Starts it again, with nothing remembered. */
  restart(): Promise<void>
}

/** The relay and the reconcile function of one plan, with queues of their own. */
export interface Deployment {
  readonly relay: Part
  readonly function: Part
  /** The last lines that both have logged. */
  readonly log: readonly string[]
  stop(): Promise<void>
}

interface DeploymentOptions extends Omit<DoorOptions, 'view'> {
  readonly settings: SettingsInput
}

/** One execution of the relay or the function. */
interface Process {
  kill(): void
  end(): Promise<void>
}

interface FunctionProcess extends Process {
  invoke(lane: Lane, event: SQSEvent, context: Context): Promise<SQSBatchResponse>
}

/**
 * Whole seconds, of the function and of its messages' visibility: one whose function died is back after so
 * long.
 */
const FUNCTION_TIMEOUT = 12
const CLUSTER = 'edge'
const LINES_KEPT = 2_000

/**
 * Starts what runs in a deployment, in this process and wired as on AWS. The queues and their event source
 * mappings are not disturbed.
 */
export async function startDeployment({ settings: given, ...place }: DeploymentOptions): Promise<Deployment> {
  const settings = parseSettings({ ...given, functionTimeout: FUNCTION_TIMEOUT })
  const queues = await startEmbeddedQueue({ visibilityTimeoutSeconds: FUNCTION_TIMEOUT })
  const log: string[] = []
  const logger = createLogger({
    write(line) {
      log.push(line.trimEnd())
      if (log.length > LINES_KEPT) log.shift()
    },
  })
  const relay = await startPart(startOneRelay)
  const reconcile = await startPart(startOneFunction)
  const mappings = await Promise.all(
    LANES.map((lane) =>
      startEventSourceMapping({
        client: queues.client,
        queueUrl: queues.lanes[lane].url,
        isOwnQueue: true,
        handler: (event, context) => reconcile.process().invoke(lane, event, context),
        logger,
        limits: { functionTimeoutSeconds: FUNCTION_TIMEOUT },
      }),
    ),
  )

  async function startOneRelay(view: View): Promise<Process> {
    const door = await openDoor({ ...place, view })
    const killed = new AbortController()
    const client = livingAsLongAs(queues.client, killed.signal)
    const sender = (lane: Lane) => createQueueSender({ client, queueUrl: queues.lanes[lane].url, logger })
    const api = createApiClient(connectionOf(door))
    const senders = { live: sender('live'), sweep: sender('sweep') }
    const running = startRelay({ clients: [api], settings, senders, telemetry: { logger } })
    let ended: Promise<unknown> | undefined
    const kill = (): void => {
      killed.abort()
      ended ??= Promise.all([running.stop(AbortSignal.timeout(0)), door.close()]).then(() => api.close())
    }
    return {
      kill,
      async end() {
        kill()
        await ended
      },
    }
  }

  async function startOneFunction(view: View): Promise<FunctionProcess> {
    const door = await openDoor({ ...place, view })
    const killed = new AbortController()
    const { promise: death, reject } = Promise.withResolvers<never>()
    death.catch(() => {})
    const client = livingAsLongAs(queues.client, killed.signal)
    const guarded = limitClusterCalls({ cluster: CLUSTER, settings, logger })
    const api = createApiClient(connectionOf(door), guarded.forFunction)
    const reconcile = createReconciler({ clientOf: () => api, settings, logger })
    const handlerOf = (lane: Lane) =>
      createHandler({
        reconcile,
        deadLetters: createDeadLetterSender({ client, queueUrl: queues.lanes[lane].deadLetterUrl }),
        visibility: createReceivedMessages({ client, queueUrl: queues.lanes[lane].url, logger }),
        logger,
        settings: {
          concurrencyPerCluster: settings.keysPerCluster,
          maxReceiveCount: settings.maxReceiveCount,
        },
      })
    const handlers = { live: handlerOf('live'), sweep: handlerOf('sweep') }
    return {
      invoke: (lane, event, context) => Promise.race([handlers[lane](event, context), death]),
      // The server may still carry out the request that it died at, so what is under way is not cut.
      kill() {
        door.shut()
        killed.abort()
        reject(new Error('the function was killed'))
      },
      async end() {
        await door.close()
        api.close()
      },
    }
  }

  return {
    relay,
    function: reconcile,
    log,
    async stop() {
      await Promise.all(mappings.map((mapping) => mapping.stop()))
      await Promise.all([relay.end(), reconcile.end()])
      await queues.stop()
    },
  }
}

interface StartedPart<T extends Process> extends Part {
  /** Returns the process that runs, or was killed last. */
  process(): T
  end(): Promise<void>
}

async function startPart<T extends Process>(start: (view: View) => Promise<T>): Promise<StartedPart<T>> {
  const view = createView()
  let newest = await start(view)
  const all = [newest]
  return {
    view,
    process: () => newest,
    kill: () => newest.kill(),
    async restart() {
      newest.kill()
      newest = await start(view)
      all.push(newest)
    },
    end: async () => void (await Promise.all(all.map((one) => one.end()))),
  }
}

const livingAsLongAs = (client: QueueClient, signal: AbortSignal): QueueClient =>
  new Proxy(client, {
    get: (target, name, receiver) =>
      signal.aborted
        ? () => Promise.reject(new Error('the process was killed'))
        : Reflect.get(target, name, receiver),
  })

const connectionOf = ({ server, authority, token }: Door): ClusterConnection => ({
  name: CLUSTER,
  server: new URL(server),
  credentials: async () => ({ headers: { authorization: `Bearer ${token}` }, ca: authority }),
})
