import { expect, onTestFinished } from 'vitest'
import { type Queues, startEmbeddedQueues } from '../../../cli/local/index.ts'
import { NAMESPACES } from '../../../shared/kubernetes/index.ts'
import { parseSettings } from '../../../shared/settings/index.ts'
import type { SliceflowProcess } from '../../support/sliceflow-process.ts'
import { startTestRun } from '../../support/test-run.ts'
import { createWorkload, type Workload } from '../../support/workload.ts'
import type { RealCluster } from '../end-to-end-cluster.ts'
import { clientOf, writeFileForTest } from '../run-command.ts'

/**
 * Whole seconds that one call of the function may take; the queue hides a message six times as long. A
 * request may take a part of it only: of fewer seconds, requests time out where all the cores are busy.
 */
const FUNCTION_TIMEOUT = 5

interface FaultSceneOptions {
  /** Kubeconfig that Sliceflow gets; default: that of the cluster's user. */
  readonly kubeconfig?: string
  /** Default 20. */
  readonly services?: number
  /** Another one for each test of a file. */
  readonly seed: number
}

interface StartOptions {
  readonly flags?: readonly string[]
  readonly nodeFlags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** So much longer than the tests say may it take where all the cores are busy with something else. */
const BUSY = 3

/**
 * Load on the real API server, queues that outlive every process, and processes of Sliceflow to be
 * ill-treated.
 */
interface FaultScene {
  readonly load: Workload
  /**
   * Starts a process with relay and function on these queues, which ends with the test; resolves once it
   * follows the cluster.
   */
  start(options?: StartOptions): Promise<SliceflowProcess>
  /** Returns the newest resourceVersion of anything in the cluster. */
  newestVersion(): Promise<string>
  /**
   * @throws where the slices are not right so soon, a quiet machine given, or a slice of another writer was
   *   touched
   */
  mustSettle(seconds: number): Promise<void>
  /** Returns the bodies of all dead letters. */
  deadLetters(): Promise<string[]>
}

export async function openFaultScene(
  cluster: RealCluster,
  { kubeconfig, seed, services = 20 }: FaultSceneOptions,
): Promise<FaultScene> {
  const file = await writeFileForTest('kubeconfig', kubeconfig ?? cluster.user)
  const client = await clientOf(cluster.admin)
  const load = createWorkload({ client, services, podsPerService: 4, seed })
  const queues = await startEmbeddedQueues(parseSettings({ functionTimeout: FUNCTION_TIMEOUT }))
  onTestFinished(() => queues.stop())
  const flags = [
    ...['--queue', queues.lanes.live.url, '--sweep-queue', queues.lanes.sweep.url],
    ...['--function-timeout', String(FUNCTION_TIMEOUT)],
  ]
  return {
    load,
    async start({ flags: more = [], nodeFlags, env } = {}) {
      const run = startTestRun({ kubeconfig: file, flags: [...flags, ...more], nodeFlags, env })
      await run.ready
      return run
    },
    async mustSettle(seconds) {
      expect((await load.settle(seconds * BUSY)).differences).toEqual([])
    },
    async newestVersion() {
      return (await client.list(NAMESPACES)).metadata.resourceVersion
    },
    deadLetters: () => readDeadLetters(queues),
  }
}

async function readDeadLetters({ client, lanes }: Queues): Promise<string[]> {
  const bodies: string[] = []
  for (const { url } of Object.values(lanes)) {
    const QueueUrl = `${url}-dead-letters`
    const { Attributes } = await client.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] })
    for (let left = Number(Attributes?.ApproximateNumberOfMessages); left > 0; ) {
      const { Messages = [] } = await client.receiveMessage({ QueueUrl, MaxNumberOfMessages: 10 })
      bodies.push(...Messages.map(({ Body = '' }) => Body))
      left -= Math.max(1, Messages.length)
    }
  }
  return bodies
}
