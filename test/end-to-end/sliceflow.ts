import { expect, onTestFinished } from 'vitest'
import { openClusters, type Queues, startEmbeddedQueues, startLocal } from '../../cli/local/index.ts'
import type { Change, ServiceKey } from '../../shared/changes/index.ts'
import type { ClusterSet } from '../../shared/cluster-sets/index.ts'
import type { ClusterConnection } from '../../shared/kubernetes/index.ts'
import { createQueueSender, type DeadLetter, type Lane } from '../../shared/queue/index.ts'
import type { Compared, ReconcileOutcome } from '../../shared/reconciler/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import { createLogger } from '../../shared/telemetry/index.ts'

/** One line of the log: what was said, and its fields. */
interface LogLine extends Readonly<Record<string, unknown>> {
  readonly level: string
  readonly msg: string
}

/** A Sliceflow in this process with queues of its own, and what was seen of it. It ends with the test. */
export interface Sliceflow {
  /** Resolves when every cluster was listed. */
  readonly synced: Promise<void>
  /** Changes that the clusters' events meant, in order. Several of one key may be sent as one. */
  readonly changes: readonly Change[]
  readonly outcomes: readonly ReconcileOutcome[]
  /** Comparisons of a shadow. */
  readonly compared: readonly Compared[]
  /** Errors of the keys that failed. */
  readonly failures: readonly unknown[]
  readonly letters: readonly DeadLetter[]
  /** Clusters that were reported as followed. */
  readonly followed: readonly string[]
  readonly log: readonly LogLine[]
  /** Keys that its relay has sent. */
  readonly sent: number
  /** Puts keys on a lane as if a relay had sent them. */
  send(lane: Lane, keys: readonly ServiceKey[]): Promise<void>
  deadLetters(): Promise<number>
  /** Makes every request to the lanes fail from now on, or work again. */
  setQueuesDown(down: boolean): void
  stop(): Promise<void>
}

/** Only calls to a cluster that hangs take so long. */
const GRACE_MS = 2_000

interface SliceflowOptions {
  /** Queues that the caller starts and ends; default: its own. */
  readonly queues?: Queues
  /** Cluster sets; default: none. */
  readonly sets?: readonly ClusterSet[]
}

export async function startSliceflow(
  clusters: readonly ClusterConnection[],
  settings: Settings,
  { queues: shared, sets }: SliceflowOptions = {},
): Promise<Sliceflow> {
  const changes: Change[] = []
  const outcomes: ReconcileOutcome[] = []
  const compared: Compared[] = []
  const failures: unknown[] = []
  const letters: DeadLetter[] = []
  const followed: string[] = []
  const log: LogLine[] = []
  // While a circuit is open, keys fail at the level debug.
  const logger = createLogger({ level: 'debug', write: (line) => void log.push(JSON.parse(line)) })
  const queues = shared ?? (await startEmbeddedQueues(settings))
  const { lanes } = queues
  let isDown = false
  let sent = 0
  const client = new Proxy(queues.client, {
    get: (target, name, receiver) =>
      isDown ? () => Promise.reject(new Error('the queue is down')) : Reflect.get(target, name, receiver),
  })
  const local = await startLocal({
    clusters: openClusters(clusters, { settings, logger }),
    queues: { ...queues, client },
    settings,
    ...(sets && { sets }),
    telemetry: { logger },
    observer: {
      onEvent: (more) => void changes.push(...more),
      onReconciled: (outcome) => void outcomes.push(outcome),
      onCompared: (one) => void compared.push(one),
      onFailed: (_, error) => void failures.push(error),
      onDeadLetter: (letter) => void letters.push(letter),
      onSynced: (cluster) => void followed.push(cluster),
      onSent(keys) {
        sent += keys
      },
    },
  })
  let stopped: Promise<void> | undefined
  const stop = async (): Promise<void> => {
    isDown = false
    await local.stop(GRACE_MS)
    if (shared === undefined) await queues.stop()
  }
  const sliceflow: Sliceflow = {
    synced: local.synced,
    changes,
    outcomes,
    compared,
    failures,
    letters,
    followed,
    log,
    get sent() {
      return sent
    },
    async send(lane, keys) {
      const sender = createQueueSender({ client, queueUrl: lanes[lane].url, logger })
      const { accepted } = await sender.send(keys)
      if (accepted.length < keys.length) throw new Error('the embedded queue did not take every key')
    },
    async deadLetters() {
      const counts = Object.values(lanes).map(async ({ url }) => {
        const { Attributes } = await client.getQueueAttributes({
          QueueUrl: `${url}-dead-letters`,
          AttributeNames: ['All'],
        })
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
  onTestFinished(async () => {
    await sliceflow.stop()
    // A fault of ours heals by the next attempt as a rule, so that the slices do not tell of it.
    expect(log.filter((line) => line.class === 'Unexpected')).toEqual([])
  })
  return sliceflow
}
