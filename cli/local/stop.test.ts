import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { parseSettings } from '../../shared/settings/index.ts'
import { SILENT_LOG } from '../../shared/telemetry/index.ts'
import { startScriptedServer } from '../../test/support/scripted-server.ts'
import { sendTo } from './event-source/mapping.fixtures.ts'
import { openClusters, startEmbeddedQueues, startLocal } from './index.ts'

const VISIBLE = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const

it('gives back what waits for a batch, where those that run outlast the end', async () => {
  const server = await startScriptedServer()
  // It never answers.
  server.answer(() => undefined)
  const settings = parseSettings({ maximumConcurrency: 2, batchSize: 1 })
  const queues = await startEmbeddedQueues(settings)
  onTestFinished(async () => {
    await queues.stop()
    await server.close()
  })
  const { client } = queues
  // As far away as a server is.
  const changeMessageVisibilityBatch: typeof client.changeMessageVisibilityBatch = async (...request) => {
    await sleep(50)
    return client.changeMessageVisibilityBatch(...request)
  }
  const distant = new Proxy(client, {
    get: (target, name) =>
      name === 'changeMessageVisibilityBatch'
        ? changeMessageVisibilityBatch
        : Reflect.get(target, name).bind(target),
  })
  const local = await startLocal({
    clusters: openClusters([server.connection], { settings, logger: SILENT_LOG }),
    queues: { ...queues, client: distant },
    settings,
    telemetry: { logger: SILENT_LOG },
  })
  const { url } = queues.lanes.live
  const bodies = Array.from({ length: 10 }, (_, index) =>
    JSON.stringify({ v: 1, cluster: 'scripted', namespace: 'shop', service: `web-${index}` }),
  )
  await sendTo(client, url, bodies)
  const counts = async () => {
    const { Attributes } = await client.getQueueAttributes({ QueueUrl: url, AttributeNames: ['All'] })
    return VISIBLE.map((name) => Number(Attributes?.[name]))
  }
  await expect.poll(counts).toEqual([0, 10])
  await local.stop(1_000)
  expect(await counts()).toEqual([8, 2])
})
