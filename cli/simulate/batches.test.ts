import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parseSettings } from '../../shared/settings/index.ts'
import { BATCHES, churnWorkload, simulate } from '../../shared/simulation/index.ts'
import { SILENT_LOG } from '../../shared/telemetry/index.ts'
import { startEmbeddedQueue } from '../local/embedded-queue/embedded-queue.ts'
import { startEventSourceMapping } from '../local/event-source/mapping.ts'

/** Fixed duration of a sync, so that the two can be compared. */
const SYNC_MS = 30
const STEP_MS = 5
const SECONDS = 30
/** Ends those of many changes a second earlier: each message costs several turns of the event loop. */
const CHANGES = 600

interface Sent {
  readonly atMs: number
  readonly messages: number
}

interface Counts {
  readonly messages: number
  readonly batches: number
}

interface Batches {
  readonly batchWindow: number
  readonly batchSize: number
  readonly maximumConcurrency: number
}

/** Simulates changes of many Services, and notes when their messages are sent. */
async function simulated(
  batches: Batches,
  changesPerSecond: number,
): Promise<Counts & { sent: Sent[]; delayMs: number }> {
  const [services, endpoints] = [100, 20]
  const duration = Math.min(SECONDS, CHANGES / changesPerSecond)
  const workload = churnWorkload(
    { services, endpoints, nodes: 10 },
    { seed: 7, duration, recovery: 5, meanChange: (services * endpoints) / changesPerSecond },
  )
  const sent: Sent[] = []
  const { run } = await simulate({
    ...{ workload, policy: 'in-tree' },
    syncMs: [SYNC_MS, SYNC_MS],
    // One poller feeds all calls of cli/local.
    settings: { batches: { ...batches, pollers: 1 } },
    observer: { onSent: (atMs, changes) => sent.push({ atMs, messages: changes.length }) },
  })
  return { messages: run.messages, batches: run.batches, sent, delayMs: run.stalenessMs.p50 }
}

/** Sends as many messages at the same times to the queue that `run` embeds, and counts the calls. */
async function emulated(sent: readonly Sent[], batches: Batches): Promise<Counts> {
  const queue = await startEmbeddedQueue({ visibilityTimeoutSeconds: 360 })
  onTestFinished(() => queue.stop())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { client } = queue
  const QueueUrl = queue.lanes.live.url
  const counts = { messages: 0, batches: 0 }
  const mapping = await startEventSourceMapping({
    ...{ client, queueUrl: QueueUrl, logger: SILENT_LOG, isOwnQueue: true },
    limits: {
      batchSize: batches.batchSize,
      batchWindowSeconds: batches.batchWindow,
      maximumConcurrency: batches.maximumConcurrency,
    },
    handler: async ({ Records }) => {
      counts.batches++
      counts.messages += Records.length
      const waves = Math.ceil(Records.length / BATCHES.keysPerCluster)
      await new Promise((resolve) => setTimeout(resolve, waves * SYNC_MS))
      return { batchItemFailures: [] }
    },
  })
  const all = sent.reduce((sum, { messages }) => sum + messages, 0)
  const queued = [...sent]
  for (let now = 0; counts.messages < all || queued.length > 0; now += STEP_MS) {
    for (; queued[0] !== undefined && queued[0].atMs <= now; queued.shift()) {
      const bodies = Array.from({ length: queued[0].messages }, (_, place) => `${now} ${place}`)
      for (let from = 0; from < bodies.length; from += 10)
        await client.sendMessageBatch({
          QueueUrl,
          Entries: bodies.slice(from, from + 10).map((MessageBody, Id) => ({ Id: String(Id), MessageBody })),
        })
    }
    await vi.advanceTimersByTimeAsync(STEP_MS)
    // Polls take turns of the event loop, which are no time.
    for (let turns = 0; turns < 4; turns++) await nextTurn()
  }
  const stopped = mapping.stop()
  await vi.advanceTimersByTimeAsync(1000)
  await stopped
  return counts
}

describe('simulated batches', () => {
  it.each<[string, number, Batches]>([
    ['without a window', 20, { batchWindow: 0, batchSize: 10, maximumConcurrency: 5 }],
    ['in a window of a second', 5, { batchWindow: 1, batchSize: 10, maximumConcurrency: 5 }],
    [
      'in a window that batches of ten end early',
      40,
      { batchWindow: 1, batchSize: 10, maximumConcurrency: 5 },
    ],
    ['in large ones', 40, { batchWindow: 2, batchSize: 1000, maximumConcurrency: 5 }],
    ['of few calls at once, which wait', 150, { batchWindow: 0, batchSize: 10, maximumConcurrency: 2 }],
  ])(
    'are as many as the embedded queue makes %s, within 10 %%',
    async (_, changesPerSecond, batches) => {
      const { sent, ...simulation } = await simulated(batches, changesPerSecond)
      const emulation = await emulated(sent, batches)
      expect(emulation.messages).toBe(simulation.messages)
      expect(simulation.messages).toBeGreaterThan(100)
      const difference = simulation.batches / emulation.batches - 1
      expect({ ...simulation, emulated: emulation.batches, isNear: Math.abs(difference) <= 0.1 }).toEqual({
        ...{ ...simulation, emulated: emulation.batches, isNear: true },
      })
    },
    60_000,
  )

  it('have the settings’ defaults', () => {
    const { batchWindow, batchSize, maximumConcurrency, keysPerCluster } = parseSettings({})
    expect(BATCHES).toEqual({ batchWindow, batchSize, maximumConcurrency, keysPerCluster, pollers: 5 })
  })

  it('are fewer with a window, and changes are later, but not once a batch is full', async () => {
    const batches = { batchSize: 10, maximumConcurrency: 5 }
    const [none, window, long] = await Promise.all([
      simulated({ ...batches, batchWindow: 0 }, 40),
      simulated({ ...batches, batchWindow: 1 }, 40),
      simulated({ ...batches, batchWindow: 10 }, 40),
    ])
    expect(window.batches).toBeLessThan(none.batches / 2)
    expect(window.delayMs).toBeGreaterThan(none.delayMs)
    expect(long.delayMs).toBeLessThan(2_000)
  })
})
