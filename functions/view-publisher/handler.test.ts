import { expect, it, vi } from 'vitest'
import { ClusterAccessError } from '../../shared/clusters/index.ts'
import { CircuitOpenError } from '../../shared/kubernetes/index.ts'
import { contextOf, keyBody, record } from '../../shared/queue/consumer/batch-handler.fixtures.ts'
import type { DeadLetter } from '../../shared/queue/index.ts'
import { createViewPublisherHandler } from './handler.ts'
import { SinkError } from './sink.ts'

const OUTAGE = new CircuitOpenError('cluster prod does not answer', 20, undefined)
const GONE = new ClusterAccessError('no cluster of this name has the tag')

/** Handles keys that fail with an error: one has receives left, only `till` is published. */
async function handle(
  error: Error,
  { receives = 6, audit }: { receives?: number; audit?: true } = {},
): Promise<{ readonly back: string[]; readonly letters: unknown[] }> {
  const send = vi.fn<(letter: DeadLetter) => Promise<void>>(async () => {})
  const handler = createViewPublisherHandler({
    publisher: {
      publish: () => Promise.reject(error),
      isPublished: async ({ service }) => service === 'till',
    },
    deadLetters: { send },
    visibility: { postpone: async () => {} },
    logger: { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() },
    settings: { maxReceiveCount: 6 },
  })
  const body = (service: string): string => JSON.stringify({ ...JSON.parse(keyBody(service)), audit })
  const ends = ['cart', 'till'].map((service) => record(service, body(service), receives))
  const Records = [record('waits', body('till-2'), receives - 1), ...ends]
  const { batchItemFailures } = await handler({ Records }, contextOf(60_000))
  return {
    back: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
    letters: send.mock.calls.map(([{ key }]) => key?.service),
  }
}

it.each([
  ['that has not answered for long', OUTAGE],
  ['that is not found by its tag any more', GONE],
])('a key of a cluster %s becomes a dead letter unless the sweep sends it again', async (_, error) => {
  expect(await handle(error)).toEqual({ back: ['waits'], letters: ['cart'] })
})

it('a key that a sink refuses becomes a dead letter, so that somebody notices', async () => {
  expect(await handle(new SinkError('no permission'))).toEqual({ back: ['waits'], letters: ['cart', 'till'] })
})

it('a key that only a sweep sent becomes no dead letter, whatever a sink refuses: each sweep would make one', async () => {
  for (const retryable of [true, false])
    expect(await handle(new SinkError('no permission', { retryable }), { receives: 3, audit: true })).toEqual(
      { back: ['waits'], letters: [] },
    )
})
