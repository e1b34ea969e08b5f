import type { Message } from '@aws-sdk/client-sqs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Batch, MessageBuffer, type MessageBufferOptions } from './buffer.ts'

/** Makes a message; `hostile-3` is of the cluster hostile. */
const message = (id: string): Message => ({
  MessageId: id,
  ReceiptHandle: id,
  Attributes: { MessageGroupId: id.slice(0, id.indexOf('-')) },
})
const some = (cluster: string, count: number, from = 0): Message[] =>
  Array.from({ length: count }, (_, index) => message(`${cluster}-${from + index}`))
const idsOf = (messages: readonly Message[] | undefined): string[] | undefined =>
  messages?.map(({ MessageId = '' }) => MessageId)

function setUp(options: Partial<MessageBufferOptions> = {}) {
  const clock = { ms: 0 }
  const buffer = new MessageBuffer({
    batchSize: 4,
    batchWindowMs: 0,
    maximumConcurrency: 3,
    capacity: 100,
    now: () => clock.ms,
    ...options,
  })
  const take = (): string[] | undefined => idsOf(buffer.take()?.messages)
  return { clock, buffer, take }
}

describe('a message buffer', () => {
  it('lets clusters of which nothing runs share a batch, one message of each in turn', () => {
    const { buffer, take } = setUp()
    buffer.add([...some('a', 3), ...some('b', 1), ...some('c', 3)])
    expect([take(), take()]).toEqual([['a-0', 'b-0', 'c-0', 'a-1'], ['a-2']])
  })

  it('serves those first of which nothing runs, and gives a cluster that runs a batch of its own', () => {
    const { buffer, take } = setUp()
    buffer.add(some('hostile', 20))
    take()
    buffer.add([...some('a', 1), ...some('b', 1)])
    expect([take(), take()]).toEqual([
      ['a-0', 'b-0'],
      ['hostile-4', 'hostile-5', 'hostile-6', 'hostile-7'],
    ])
  })

  it('serves the cluster in the fewest batches next, and of equals the one that was served longer ago', () => {
    const { buffer, take } = setUp({ batchSize: 1, maximumConcurrency: 9 })
    buffer.add([...some('a', 3), ...some('b', 3)])
    expect([take(), take(), take(), take()]).toEqual([['a-0'], ['b-0'], ['a-1'], ['b-1']])
    buffer.done({ messages: [], groups: ['b'] })
    expect([take(), take()]).toEqual([['b-2'], ['a-2']])
  })

  it('gives a cluster every place while it is the only one', () => {
    const { buffer, take } = setUp()
    buffer.add(some('hostile', 20))
    expect([take(), take(), take()].map((ids) => ids?.length)).toEqual([4, 4, 4])
  })

  it('keeps one place free of any one cluster once a second one has come', () => {
    const { buffer, take } = setUp()
    buffer.add(some('a', 1))
    buffer.done(buffer.take() as Batch)
    buffer.add(some('hostile', 20))
    expect([take(), take(), take()].map((ids) => ids?.length)).toEqual([4, 4, undefined])
    buffer.add(some('b', 1))
    expect(take()).toEqual(['b-0'])
    buffer.done({ messages: [], groups: ['hostile'] })
    expect([take(), take()].map((ids) => ids?.length)).toEqual([4, undefined])
  })

  it('closes a batch when it is full, or its window is over, from its oldest message', () => {
    const { buffer, take, clock } = setUp({ batchWindowMs: 1000 })
    buffer.add(some('a', 1))
    clock.ms = 400
    buffer.add(some('b', 1))
    expect([take(), buffer.dueInMs()]).toEqual([undefined, 600])
    clock.ms = 1000
    expect([buffer.dueInMs(), take(), buffer.dueInMs()]).toEqual([0, ['a-0', 'b-0'], undefined])
    buffer.add(some('c', 4))
    expect(take()).toHaveLength(4)
  })

  it('does not let clusters whose window is open keep one waiting whose window is over', () => {
    const { buffer, take, clock } = setUp({ batchWindowMs: 1000 })
    buffer.add(some('a', 5))
    take()
    clock.ms = 900
    buffer.add(some('b', 1))
    clock.ms = 1000
    expect([take(), buffer.dueInMs()]).toEqual([['a-4'], 900])
  })

  it('closes all windows at the end', () => {
    const { buffer, take } = setUp({ batchWindowMs: 1000 })
    buffer.add(some('a', 1))
    buffer.closeWindows()
    expect(take()).toEqual(['a-0'])
  })

  it('holds a message that comes twice once, in its place, with its newest receipt handle', () => {
    const { buffer } = setUp()
    buffer.add(some('a', 2))
    buffer.add([{ ...message('a-0'), ReceiptHandle: 'new' }])
    expect(buffer.take()?.messages).toEqual([{ ...message('a-0'), ReceiptHandle: 'new' }, message('a-1')])
  })

  it('gives up what is too much of the cluster with the most, its newest first, and nothing of others', () => {
    const { buffer } = setUp({ capacity: 10 })
    buffer.add([...some('a', 2), ...some('hostile', 8)])
    expect([buffer.isFull, buffer.takeSurplus(() => true)]).toEqual([false, []])
    buffer.add(some('hostile', 3, 8))
    expect(buffer.isFull).toBe(true)
    expect(idsOf(buffer.takeSurplus(({ MessageId }) => MessageId !== 'hostile-10'))).toEqual([
      'hostile-7',
      'hostile-8',
      'hostile-9',
    ])
    buffer.add(some('b', 1))
    expect(buffer.takeSurplus(({ MessageId }) => !MessageId?.startsWith('hostile'))).toEqual([])
    expect(idsOf(buffer.takeAll())).toContain('b-0')
    expect([buffer.messages(), buffer.isFull, buffer.take()]).toEqual([[], false, undefined])
  })
})

/**
 * A message of one of some clusters that comes, or the batch that has run for longest or shortest that ends.
 */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('hostile', 'hostile', 'hostile', 'a', 'b', 'c') },
  { weight: 1, arbitrary: fc.constantFrom('oldest' as const, 'newest' as const) },
)

const clusterOf = (id: string): string => id.slice(0, id.indexOf('-'))

/** Plays what a mapping does with a buffer: as many batches run as may. */
function playBatches(maximumConcurrency: number) {
  const batchSize = 3
  const { buffer } = setUp({ batchSize, maximumConcurrency })
  const running: Batch[] = []
  const waiting = new Set<string>()
  const clusters = new Set<string>()
  let count = 0

  const runningOf = (cluster: string): number =>
    running.filter(({ groups }) => groups.includes(cluster)).length

  function begin({ messages }: Batch): void {
    expect([1, 2, 3]).toContain(messages.length)
    const isNew = messages.map(({ MessageId = '' }) => waiting.delete(MessageId))
    expect(isNew).not.toContain(false)
  }

  function fill(): void {
    while (running.length < maximumConcurrency) {
      const batch = buffer.take()
      if (batch === undefined) return
      begin(batch)
      running.push(batch)
    }
  }

  return {
    waiting,
    running,
    /** Lists clusters that wait although there is a place that they may have. */
    kept(): string[] {
      if (running.length === maximumConcurrency) return []
      const most = clusters.size > 1 ? maximumConcurrency - 1 : maximumConcurrency
      return [...waiting].map(clusterOf).filter((cluster) => runningOf(cluster) < most)
    },
    come(cluster: string): void {
      const id = `${cluster}-${count++}`
      clusters.add(cluster)
      waiting.add(id)
      buffer.add([message(id)])
      fill()
    },
    end(which: 'oldest' | 'newest'): void {
      const ended = which === 'oldest' ? running.shift() : running.pop()
      if (ended !== undefined) buffer.done(ended)
      fill()
    },
  }
}

const concurrencies = fc.integer({ min: 2, max: 5 })

describe('a message buffer, whatever comes and however long it takes,', () => {
  it('begins each message once, and lets none wait while its cluster may have a place', () => {
    fc.assert(
      fc.property(concurrencies, fc.array(step, { maxLength: 80 }), (maximumConcurrency, steps) => {
        const played = playBatches(maximumConcurrency)
        for (const what of steps) {
          if (what === 'oldest' || what === 'newest') played.end(what)
          else played.come(what)
          expect(played.kept()).toEqual([])
        }
        while (played.running.length > 0) played.end('oldest')
        expect([...played.waiting]).toEqual([])
      }),
    )
  })

  it('begins messages of quiet clusters at once beside one that has any number and never ends', () => {
    const quiet = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 20 })
    const floods = fc.integer({ min: 0, max: 90 })
    fc.assert(
      fc.property(quiet, floods, concurrencies, (clusters, flood, maximumConcurrency) => {
        const { buffer } = setUp({ maximumConcurrency })
        buffer.add(some('seen', 1))
        buffer.done(buffer.take() as Batch)
        buffer.add(some('hostile', flood))
        let free = maximumConcurrency
        while (free > 0 && buffer.take() !== undefined) free--
        expect(free).toBeGreaterThan(0)
        for (const [index, cluster] of clusters.entries()) {
          buffer.add(some(cluster, 1, index))
          const batch = buffer.take() as Batch
          expect(idsOf(batch.messages)).toEqual([`${cluster}-${index}`])
          buffer.done(batch)
        }
      }),
    )
  })
})
