import { expect, it, vi } from 'vitest'
import { CircuitOpenError } from '../../shared/kubernetes/index.ts'
import { contextOf, keyBody, record } from '../../shared/queue/consumer/batch-handler.fixtures.ts'
import type { DeadLetter } from '../../shared/queue/index.ts'
import { createViewPublisherHandler } from './handler.ts'

it('a key of a cluster that has not answered for long becomes a dead letter, as nobody sends it again', async () => {
  const send = vi.fn<(letter: DeadLetter) => Promise<void>>(async () => {})
  const handler = createViewPublisherHandler({
    publish: () => Promise.reject(new CircuitOpenError('cluster prod does not answer', 20, undefined)),
    deadLetters: { send },
    visibility: { postpone: async () => {} },
    logger: { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() },
    settings: { maxReceiveCount: 6 },
  })
  const Records = [record('waits', keyBody('cart'), 5), record('ends', keyBody('till'), 6)]
  expect(await handler({ Records }, contextOf(60_000))).toEqual({
    batchItemFailures: [{ itemIdentifier: 'waits' }],
  })
  expect(send.mock.calls.map(([{ key }]) => key?.service)).toEqual(['till'])
})
