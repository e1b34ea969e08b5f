import { SQS } from '@aws-sdk/client-sqs'
import { describe, expect, it, vi } from 'vitest'
import { type QueueClient, readDeadLetter } from '../../../shared/queue/index.ts'
import { createRedrive, NONE } from './redrive.ts'
import type { QueuedLetter, Scan } from './scan.ts'

const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }

const letter = (service: string, messageId = ''): QueuedLetter => ({
  id: service,
  receiptHandle: service,
  messageId,
  message: { cluster: 'east', namespace: 'shop', service },
  failureClass: 'Conflict',
  reason: 'changed',
  firstSent: 0,
  sentTimestamp: 0,
  box: {
    client: new SQS({ region: 'us-east-1' }),
    url: 'http://127.0.0.1:1/000000000000/dead',
    laneUrls: new Set(),
    received: { delete: vi.fn(), postpone: vi.fn() },
  },
})

/** @param onSend called with the services that a request sends; returns those that the lane refuses */
function setUp(onSend: (services: readonly string[]) => readonly string[]) {
  const deleted: string[] = []
  const scan: Scan = {
    letters: async function* () {},
    delete: async (letters) => void deleted.push(...letters.map(({ id }) => id)),
    release: async () => {},
  }
  const ending = new AbortController()
  let sent = 0
  const sendMessageBatch: QueueClient['sendMessageBatch'] = async ({ Entries = [] }) => {
    const entries = Entries.map(({ Id, MessageBody = '' }) => ({
      Id,
      service: JSON.parse(MessageBody).service,
    }))
    const refused = onSend(entries.map(({ service }) => service))
    const [failed, taken] = [true, false].map((isRefused) =>
      entries.filter(({ service }) => refused.includes(service) === isRefused),
    )
    return {
      Successful: taken?.map(({ Id }) => ({ Id, MessageId: `sent-${++sent}`, MD5OfMessageBody: '' })),
      Failed: failed?.map(({ Id }) => ({ Id, SenderFault: true, Code: 'InvalidMessageContents' })),
    }
  }
  const client: Partial<QueueClient> = { sendMessageBatch }
  const to = { client: client as QueueClient, queueUrl: 'http://127.0.0.1:1/000000000000/live' }
  const redrive = createRedrive({ rate: 1_000, to, logger, signal: ending.signal })
  return { redrive, scan, deleted, ending }
}

describe('a redrive', () => {
  it('deletes a letter only when the lane has taken its key', async () => {
    const { redrive, scan, deleted } = setUp(() => ['till'])
    const result = await redrive(
      ['cart', 'till', 'desk'].map((service) => letter(service)),
      scan,
    )
    expect(result).toEqual({ ...NONE, redriven: 2, refused: 1 })
    expect(deleted).toEqual(['cart', 'desk'])
  })

  it('tells letters of a later version, for which another command will do, from those of no use', async () => {
    const { redrive, scan } = setUp(() => [])
    const bodies = ['{"v":9,"cluster":"east","namespace":"shop","service":"cart"}', '{"v":true}']
    const letters = bodies.map((Body) => ({
      ...letter(Body),
      message: undefined,
      ...readDeadLetter({ Body }),
    }))
    expect(await redrive(letters, scan)).toEqual({ ...NONE, malformed: 1, newer: 1 })
  })

  it('sends no more once it is ended', async () => {
    const { redrive, scan, ending } = setUp(() => {
      ending.abort()
      return []
    })
    const letters = Array.from({ length: 25 }, (_, index) => letter(`web-${index}`))
    expect(await redrive(letters, scan)).toEqual({ ...NONE, redriven: 10 })
  })

  it('leaves letters of its own messages, so that a key that fails again does not go round for ever', async () => {
    const { redrive, scan, deleted } = setUp(() => [])
    await redrive([letter('cart', 'before')], scan)
    const again = await redrive([letter('cart', 'sent-1'), letter('till', 'before')], scan)
    expect(again).toEqual({ ...NONE, redriven: 1 })
    expect(deleted).toEqual(['cart', 'till'])
  })
})
