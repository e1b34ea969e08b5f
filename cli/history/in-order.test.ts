import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RecordingLine } from '../../shared/recording/index.ts'
import { inOrder, merge } from './in-order.ts'

const line = (ms: number, count: number): RecordingLine => ({
  v: 1,
  kind: 'lost',
  time: new Date(ms).toISOString(),
  worker: 'w',
  cluster: 'eu-1',
  count,
})

async function* stream(lines: readonly RecordingLine[], onEnd?: () => void): AsyncGenerator<RecordingLine> {
  try {
    yield* lines
  } finally {
    onEnd?.()
  }
}

async function all(lines: AsyncIterable<RecordingLine>): Promise<RecordingLine[]> {
  const read: RecordingLine[] = []
  for await (const one of lines) read.push(one)
  return read
}

const byTime = (lines: readonly RecordingLine[]): RecordingLine[] =>
  lines.toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time))

const times = fc.array(fc.nat(40), { maxLength: 30 })

describe('merge', () => {
  it('makes one stream of several by time, and keeps the order of each', async () => {
    const streams = fc.array(times, { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(streams, async (lists) => {
        const inputs = lists.map((list, index) => byTime(list.map((ms) => line(ms, index))))
        const merged = await all(merge(inputs.map((input) => stream(input))))
        expect(merged).toEqual(byTime(inputs.flat()))
      }),
    )
  })

  it('closes every stream when the reader stops', async () => {
    let closed = 0
    const open = (): AsyncGenerator<RecordingLine> => stream([line(1, 1), line(2, 2)], () => closed++)
    for await (const _ of merge([open(), open()])) break
    expect(closed).toBe(2)
  })
})

describe('inOrder', () => {
  it('sorts what is out of order by no more than the window, and keeps the order of the same time', async () => {
    await fc.assert(
      fc.asyncProperty(times, times, async (list, delays) => {
        const lines = list.map((ms, index) => line(ms * 10, index))
        // Each line comes later than its time by up to the window.
        const arrived = lines
          .map((one, index) => ({ one, at: Date.parse(one.time) + (delays[index] ?? 0) }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ one }) => one)
        expect(await all(inOrder(stream(arrived), 41))).toEqual(byTime(arrived))
      }),
    )
  })

  it('hands out at once what comes too late, and loses nothing', async () => {
    const [first, second, third, late, last] = [
      line(0, 1),
      line(100, 2),
      line(130, 3),
      line(5, 4),
      line(131, 5),
    ]
    const lines = stream([first, second, third, late, last])
    expect(await all(inOrder(lines, 10))).toEqual([first, second, late, third, last])
  })

  it('keeps no more in memory than two windows', async () => {
    let read = 0
    async function* counting(): AsyncGenerator<RecordingLine> {
      for (let ms = 0; ms < 1_000; ms++) {
        read++
        yield line(ms, ms)
      }
    }
    for await (const _ of inOrder(counting(), 10)) break
    expect(read).toBeLessThanOrEqual(22)
  })
})
