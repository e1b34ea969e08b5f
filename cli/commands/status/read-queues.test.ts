import { describe, expect, it, onTestFinished } from 'vitest'
import { createDeadLetterSender } from '../../../shared/queue/index.ts'
import { parseSettings } from '../../../shared/settings/index.ts'
import { startEmbeddedQueues } from '../../local/index.ts'
import { describeStatus } from './describe-status.ts'
import { problemsOf } from './problems.ts'
import { readQueues } from './read-queues.ts'
import type { QueueReport, StatusReport } from './report.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const never = new AbortController().signal

function reportOf(queues: readonly QueueReport[]): StatusReport {
  const problems = problemsOf({ clusters: [], queues })
  return { version: 1, healthy: problems.length === 0, problems, clusters: [], queues }
}

describe('the status of queues', () => {
  async function openQueues() {
    const queues = await startEmbeddedQueues(parseSettings({}))
    onTestFinished(() => queues.stop())
    const send = async (url: string, body: string): Promise<void> => {
      await queues.client.sendMessage({ QueueUrl: url, MessageBody: body })
    }
    return { ...queues, send }
  }

  it('is what waits in the lanes, and how many dead letters of each class there are', async () => {
    const { lanes, client, send } = await openQueues()
    const { url } = lanes.live
    await send(url, 'a')
    await send(url, 'b')
    const letters = createDeadLetterSender({ client, queueUrl: `${url}-dead-letters` })
    const letter = {
      body: '{}',
      reason: 'no',
      attempts: 3,
      sentTimestamp: NOW,
      messageId: '1',
      sourceQueueArn: 'arn',
    }
    for (const failureClass of ['Forbidden', 'Forbidden', 'Conflict'])
      await letters.send({ ...letter, failureClass })

    for (const _ of ['first', 'again, as they stay where they are']) {
      const queues = await readQueues({ live: url }, never)
      expect(queues).toMatchObject([
        { queue: 'live', waiting: 2, inFlight: 0, delayed: 0 },
        {
          queue: 'dead-letters',
          waiting: 3,
          classes: { Forbidden: 2, Conflict: 1 },
          oldest: expect.any(String),
        },
      ])
      expect(reportOf(queues).problems).toEqual([
        '3 dead letters (Forbidden 2, Conflict 1): see sliceflow dead-letters --help',
      ])
      const oldest = queues.map((queue) => Date.parse(queue.oldest ?? '')).find((time) => time > 0) ?? 0
      const text = describeStatus(reportOf(queues), oldest + 5_000)
      expect(text).toMatch(/live +2 +0 +0 +- +-/)
      expect(text).toMatch(/dead-letters of live +3 +0 +0 +5s +Forbidden 2, Conflict 1/)
      expect(text).toContain('sweep: not given; see --sweep-queue URL')
    }
  })

  it('includes what waits in the queue of the view publisher', async () => {
    const { lanes, send } = await openQueues()
    const { url } = lanes.sweep
    await send(url, 'a')
    await send(`${url}-dead-letters`, '{}')
    const queues = await readQueues({ viewPublisher: url }, never)
    expect(queues).toMatchObject([
      { queue: 'view-publisher', waiting: 1 },
      { queue: 'dead-letters', lane: 'view-publisher', waiting: 1 },
    ])
    expect(reportOf(queues).problems).toEqual([expect.stringMatching(/^1 dead letter /)])
  })

  it('that cannot be read is a problem, reported once', async () => {
    const queues = await readQueues({ live: 'http://127.0.0.1:9/live', sweep: undefined }, never)
    expect(reportOf(queues).problems).toHaveLength(1)
    expect(describeStatus(reportOf(queues), NOW)).toMatch(/live +cannot be read/)
  })
})
