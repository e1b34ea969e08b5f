import { GetQueueAttributesCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { onTestFinished } from 'vitest'
import { startEmbeddedQueues, startLocal } from '../../functions/local/index.ts'
import type { ReconcileOutcome } from '../../functions/reconcile/index.ts'
import type { Change, ServiceKey } from '../../shared/changes/index.ts'
import type { ClusterConnection } from '../../shared/kubernetes/index.ts'
import { createQueueSender, type Lane } from '../../shared/queue/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import { createLogger } from '../../shared/telemetry/index.ts'

/** One line of the log: what was said, and its fields. */
export interface LogLine extends Readonly<Record<string, unknown>> {
  readonly level: string
  readonly msg: string
}

/** A Sliceflow in this process with queues of its own, and what was seen of it. It ends with the test. */
export interface Sliceflow {
  /** Resolves when every cluster was listed. */
  readonly synced: Promise<void>
  /** What events of the clusters meant, in their order; several of one key may be sent as one. */
  readonly changes: readonly Change[]
  readonly outcomes: readonly ReconcileOutcome[]
  readonly log: readonly LogLine[]
  /** Puts keys on a lane as if a relay had sent them. */
  send(lane: Lane, keys: readonly ServiceKey[]): Promise<void>
  /** Puts a message on the live lane as it is. */
  sendText(body: string): Promise<void>
  deadLetters(): Promise<number>
  /** From now on every request to the queues fails, or works again. */
  setQueuesDown(down: boolean): void
  stop(): Promise<void>
}

/** Only calls to a cluster that hangs take so long. */
const GRACE_MS = 2_000

export async function startSliceflow(
  clusters: readonly ClusterConnection[],
  settings: Settings,
): Promise<Sliceflow> {
  const changes: Change[] = []
  const outcomes: ReconcileOutcome[] = []
  const log: LogLine[] = []
  const logger = createLogger({ write: (line) => void log.push(JSON.parse(line)) })
  const queues = await startEmbeddedQueues(settings)
  const { client, lanes } = queues
  let isDown = false
  client.middlewareStack.add(
    (next) => (args) => (isDown ? Promise.reject(new Error('the queue is down')) : next(args)),
    { step: 'finalizeRequest' },
  )
  const local = await startLocal({
    clusters,
    queues,
    settings,
    logger,
    observer: {
      onEvent: (more) => void changes.push(...more),
      onReconciled: (outcome) => void outcomes.push(outcome),
    },
  })
  let stopped: Promise<void> | undefined
  const stop = async (): Promise<void> => {
    isDown = false
    await local.stop(GRACE_MS)
    await queues.stop()
  }
  const sliceflow: Sliceflow = {
    synced: local.synced,
    changes,
    outcomes,
    log,
    async send(lane, keys) {
      const sender = createQueueSender({ client, queueUrl: lanes[lane].url, logger })
      const { accepted } = await sender.send(keys)
      if (accepted.length < keys.length) throw new Error('the embedded queue did not take every key')
    },
    async sendText(body) {
      await client.send(new SendMessageCommand({ QueueUrl: lanes.live.url, MessageBody: body }))
    },
    async deadLetters() {
      const counts = Object.values(lanes).map(async ({ url }) => {
        const { Attributes } = await client.send(
          new GetQueueAttributesCommand({ QueueUrl: `${url}-dead-letters`, AttributeNames: ['All'] }),
        )
        return Number(Attributes?.ApproximateNumberOfMessages)
      })
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
    },
    setQueuesDown(down) {
      isDown = down
    },
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
  onTestFinished(() => sliceflow.stop())
  return sliceflow
}
