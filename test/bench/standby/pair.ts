import { startTestQueue } from '../../support/test-queue.ts'
import { IN_TREE_CONTROLLER } from '../../support/workload.ts'
import type { GuardedProcess } from '../guarded-process.ts'
import { type Contender, startRun } from '../race/contenders.ts'

/**
 * Two processes of `sliceflow run`: one sends, the other stands by. Each has functions. They share a queue,
 * or are in two regions and have one each.
 */
export interface Pair extends Contender {
  /** Process id of the standby. */
  readonly pid: number
  /** Returns how many keys each has sent so far. Those of one that was killed are not known. */
  keysSent(): Promise<{ readonly active: number; readonly standby: number }>
  /** Kills the active one, and with it its queue where the standby has another. */
  killActive(): Promise<void>
}

interface PairOptions {
  readonly kubeconfig: string
  /** Whether each has a queue of its own, as in two regions. */
  readonly inTwoRegions: boolean
}

/**
 * Visibility timeout of a deployment. Messages that a killed process had received do not come back during the
 * measurement.
 */
const VISIBILITY_SECONDS = 380

export async function startPair({ kubeconfig, inTwoRegions }: PairOptions): Promise<Pair> {
  const queue = await startQueue()
  const queueOfStandby = inTwoRegions ? await startQueue() : queue
  const common = ['--kubeconfig', kubeconfig, '--mode', 'replace', '--managed-by', IN_TREE_CONTROLLER]
  const start = ({ url }: { url: string }, ...flags: string[]): Promise<GuardedProcess> =>
    startRun([...common, '--queue', url, '--metrics-port', '0', ...flags])
  const active = await start(queue)
  const standby = await start(queueOfStandby, '--relay-standby')

  return {
    pid: standby.pid,
    async keysSent() {
      return { active: await keysSentBy(active), standby: await keysSentBy(standby) }
    },
    async killActive() {
      await active.stop()
      if (inTwoRegions) await queue.stop()
    },
    async stop() {
      await Promise.all([active.stop(), standby.stop()])
      await Promise.all([queue.stop(), queueOfStandby.stop()])
    },
  }
}

async function startQueue(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { client, queueUrl, stop } = await startTestQueue('live')
  await client.setQueueAttributes({
    QueueUrl: queueUrl,
    Attributes: { VisibilityTimeout: String(VISIBILITY_SECONDS) },
  })
  // The server names itself as AWS does, which is no name here.
  const url = new URL(queueUrl)
  url.hostname = '127.0.0.1'
  let stopped: Promise<void> | undefined
  return { url: url.href, stop: () => (stopped ??= stop()) }
}

/** Reads its own metrics; returns 0 for a process that does not run. */
async function keysSentBy({ running, log }: GuardedProcess): Promise<number> {
  if (!running) return 0
  const [url] = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(await log()) ?? []
  if (url === undefined) throw new Error('a log does not say where the metrics are')
  const text = await (await fetch(url)).text()
  const counts = [...text.matchAll(/^sliceflow_relay_keys_sent_total\{[^}]*\} (\d+)$/gm)]
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}
