import { SQS } from '@aws-sdk/client-sqs'
import { describe, expect, it, vi } from 'vitest'
import type { QueueSender } from '../../../shared/queue/index.ts'
import { createRedrive } from './redrive.ts'
import type { QueuedLetter, Scan } from './scan.ts'

const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }

const letter = (service: string): QueuedLetter => ({
  id: service,
  receiptHandle: service,
  message: { cluster: 'east', namespace: 'shop', service },
  failureClass: 'Conflict',
  reason: 'changed',
  firstSent: 0,
  sentTimestamp: 0,
  box: {
    client: new SQS({ region: 'us-east-1' }),
    url: 'http://127.0.0.1:1/000000000000/dead',
    received: { delete: vi.fn(), postpone: vi.fn() },
  },
})

function setUp(send: QueueSender['send']) {
  const deleted: string[] = []
  const scan: Scan = {
    letters: async function* () {},
    delete: async (letters) => void deleted.push(...letters.map(({ id }) => id)),
    release: async () => {},
  }
  const ending = new AbortController()
  const redrive = createRedrive({ rate: 1_000, to: { send }, logger, signal: ending.signal })
  return { redrive, scan, deleted, ending }
}

describe('a redrive', () => {
  it('deletes a letter only when the lane has taken its key', async () => {
    const { redrive, scan, deleted } = setUp(async (messages) => ({
      accepted: messages.filter(({ service }) => service !== 'till'),
      rejected: [],
      unsent: messages.filter(({ service }) => service === 'till'),
    }))
    const result = await redrive(['cart', 'till', 'desk'].map(letter), scan)
    expect(result).toEqual({ redriven: 2, malformed: 0, withoutLane: 0, refused: 1 })
    expect(deleted).toEqual(['cart', 'desk'])
  })

  it('sends no more once it is ended', async () => {
    const { redrive, scan, ending } = setUp(async (messages) => {
      ending.abort()
      return { accepted: messages, rejected: [], unsent: [] }
    })
    const letters = Array.from({ length: 25 }, (_, index) => letter(`web-${index}`))
    expect(await redrive(letters, scan)).toEqual({ redriven: 10, malformed: 0, withoutLane: 0, refused: 0 })
  })
})
