import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DeadLetter } from '../../shared/queue/index.ts'
import { SILENT_LOG } from '../../shared/telemetry/index.ts'
import { stubAws } from '../../test/support/stub-aws.ts'
import { startTestQueue, type TestQueue } from '../../test/support/test-queue.ts'
import { openDeployedQueues } from './index.ts'

let queue: TestQueue
let queueUrl: string

beforeEach(async () => {
  queue = await startTestQueue('live')
  // The server returns a host name of its own, which cannot be resolved here.
  const { port, pathname } = new URL(queue.queueUrl)
  queueUrl = `http://127.0.0.1:${port}${pathname}`
  stubAws('SQS', `http://127.0.0.1:${port}`)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await queue.stop()
})

const key = (service: string) => ({ cluster: 'edge', namespace: 'shop', service })
const letter: DeadLetter = {
  body: 'not a key',
  failureClass: 'MalformedMessage',
  reason: 'no',
  attempts: 1,
  sentTimestamp: 0,
  messageId: 'm',
  sourceQueueArn: 'arn',
}

async function receive(): Promise<{ body: string | undefined; handle: string }[]> {
  const { Messages = [] } = await queue.client.receiveMessage({
    QueueUrl: queue.queueUrl,
    MaxNumberOfMessages: 10,
    VisibilityTimeout: 300,
  })
  return Messages.map(({ Body, ReceiptHandle = '' }) => ({ body: Body, handle: ReceiptHandle }))
}

describe('the queues of a deployment', () => {
  it('take keys, with the delay that is asked for', async () => {
    const queues = openDeployedQueues(SILENT_LOG)
    const sender = queues.sender(queueUrl, { delaySeconds: ({ service }) => (service === 'late' ? 900 : 0) })
    const { accepted } = await sender.send([key('soon'), key('late')])
    expect(accepted).toHaveLength(2)
    await sender.send([key('soon')])
    expect((await receive()).map(({ body }) => JSON.parse(body ?? '').service)).toEqual(['soon', 'soon'])
  })

  it('take messages back, and letters each in its own queue', async () => {
    const deadUrl = `${queueUrl}-dead`
    await queue.client.createQueue({ QueueName: 'live-dead' })
    const urls = { queue: queueUrl, deadLetters: deadUrl }
    const queues = openDeployedQueues(SILENT_LOG)
    await queues.sender(queueUrl).send([key('web')])
    const [received] = await receive()
    expect(await receive()).toEqual([])

    await queues.received(urls).postpone([{ receiptHandle: received?.handle ?? '', seconds: 0 }])
    expect(await receive()).toHaveLength(1)
    await queues.deadLetters(urls).send(letter)
    const { Messages = [] } = await queue.client.receiveMessage({ QueueUrl: deadUrl })
    expect(Messages.map(({ Body }) => Body)).toEqual(['not a key'])
    expect(await receive()).toEqual([])
  })

  it('report a missing dead-letter queue', async () => {
    const queues = openDeployedQueues(SILENT_LOG)
    const urls = { queue: queueUrl, deadLetters: `${queueUrl}-gone` }
    await expect(queues.deadLetters(urls).send(letter)).rejects.toThrow()
  })
})

it('a sender names its queue, so that a checkpoint of what another queue has accepted does not count', () => {
  expect(openDeployedQueues(SILENT_LOG).sender(queueUrl).queueUrl).toBe(queueUrl)
})
