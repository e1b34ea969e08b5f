import { expect, it } from 'vitest'
import type { QueueClient } from '../../../shared/queue/index.ts'
import { heapUsed } from '../../../test/support/heap.ts'
import { startEmbeddedQueue } from '../embedded-queue/embedded-queue.ts'
import { startEventSourceMapping } from './mapping.ts'

const BATCHES = 3_000

it('keeps nothing of batches that were done, however long it has as many as it may', async () => {
  const queue = await startEmbeddedQueue({ visibilityTimeoutSeconds: 60 })
  let received = 0
  // A queue that is never empty.
  const client: QueueClient = {
    ...queue.client,
    async receiveMessage() {
      await new Promise((resolve) => setImmediate(resolve))
      const id = `m${++received}`
      return { $metadata: {}, Messages: [{ MessageId: id, ReceiptHandle: id, Body: id }] }
    },
    deleteMessageBatch: async ({ Entries = [] }) => ({
      $metadata: {},
      Successful: Entries.map(({ Id }) => ({ Id })),
      Failed: [],
    }),
  }
  let batches = 0
  const done = (count: number): Promise<void> => {
    const until = batches + count
    return new Promise((resolve) => {
      const sync = (): void => void (batches >= until ? resolve() : setImmediate(sync))
      sync()
    })
  }
  const mapping = await startEventSourceMapping({
    client,
    queueUrl: queue.lanes.live.url,
    isOwnQueue: true,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    limits: { maximumConcurrency: 2 },
    handler: async () => {
      for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
    },
    onBatch: () => void batches++,
  })
  try {
    await done(BATCHES)
    const before = heapUsed()
    await done(BATCHES)
    expect(heapUsed() - before).toBeLessThan(300_000)
  } finally {
    await mapping.stop()
    await queue.stop()
  }
})
