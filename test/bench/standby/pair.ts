import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { type Child, createChildProcesses, untilReady } from '../../cluster/child-processes.ts'
import { startTestQueue } from '../../support/test-queue.ts'
import { IN_TREE_CONTROLLER } from '../../support/workload.ts'
import type { Contender } from '../race/contenders.ts'

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

const BUILT = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
/**
 * Visibility timeout of a deployment. Messages that a killed process had received do not come back during the
 * measurement.
 */
const VISIBILITY_SECONDS = 380

export async function startPair({ kubeconfig, inTwoRegions }: PairOptions): Promise<Pair> {
  const queue = await startQueue()
  const queueOfStandby = inTwoRegions ? await startQueue() : queue
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-standby-'))
  const processes = createChildProcesses()
  processes.guardFolder(folder)
  const common = ['--kubeconfig', kubeconfig, '--mode', 'replace', '--managed-by', IN_TREE_CONTROLLER]

  async function start(name: string, { url }: { url: string }, ...flags: string[]): Promise<Child> {
    const args = [BUILT, 'run', ...common, '--queue', url, '--metrics-port', '0', ...flags]
    const child = await processes.start(execPath, args, join(folder, `${name}.log`))
    await untilReady(name, child, async () => /^ready/m.test(await readFile(child.log, 'utf8')))
    return child
  }
  const active = await start('active', queue)
  const standby = await start('standby', queueOfStandby, '--relay-standby')

  return {
    pid: standby.pid,
    async keysSent() {
      return { active: await keysSentBy(active), standby: await keysSentBy(standby) }
    },
    async killActive() {
      active.kill('SIGKILL')
      await active.ended
      if (inTwoRegions) await queue.stop()
    },
    async stop() {
      for (const child of [active, standby]) child.kill('SIGKILL')
      await Promise.all([active.ended, standby.ended])
      processes.close()
      await Promise.all([queue.stop(), queueOfStandby.stop()])
      await rm(folder, { recursive: true, force: true })
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
async function keysSentBy({ running, log }: Child): Promise<number> {
  if (!running) return 0
  const [url] = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(await readFile(log, 'utf8')) ?? []
  if (url === undefined) throw new Error(`${log} does not say where the metrics are`)
  const text = await (await fetch(url)).text()
  const counts = [...text.matchAll(/^sliceflow_relay_keys_sent_total\{[^}]*\} (\d+)$/gm)]
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}
