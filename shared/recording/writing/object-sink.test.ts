import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type Chunk, createObjectSink, type ObjectSinkOptions } from '../index.ts'

const MIDNIGHT = Date.parse('2026-11-23T00:00:00Z')
const chunk = (cluster: string, text: string): Chunk => ({
  cluster,
  lines: `${text}\n`,
  records: 1,
  lostBefore: 0,
})
const inTime = (): AbortSignal => new AbortController().signal

function setUp(options: Partial<ObjectSinkOptions> = {}) {
  const objects = new Map<string, string>()
  const problems: unknown[] = []
  const lost: string[] = []
  let now = MIDNIGHT - 1
  const sink = createObjectSink({
    put: async (key, body) => objects.set(key, gunzipSync(body).toString()),
    worker: 'fn/$LATEST',
    onProblem: (error) => problems.push(error),
    now: () => now,
    ...options,
  })
  sink.onLost(({ lines }) => lost.push(lines))
  const setTime = (ms: number): void => {
    now = ms
  }
  return { sink, objects, problems, lost, setTime }
}

describe('createObjectSink', () => {
  it('stores one object per cluster with each flush, by day and cluster', async () => {
    const { sink, objects } = setUp()
    for (const [cluster, text] of [
      ['eu-1', 'one'],
      ['arn:aws/x', 'two'],
      ['eu-1', 'three'],
    ] as const)
      sink.append(chunk(cluster, text))
    await sink.flush(inTime())
    await sink.flush(inTime())
    sink.append(chunk('eu-1', 'four'))
    await sink.flush(inTime())
    const stem = `${MIDNIGHT - 1}-fn%2F%24LATEST`
    expect(Object.fromEntries(objects)).toEqual({
      [`recordings/day=2026-11-22/cluster=eu-1/${stem}-0.ndjson.gz`]: 'one\nthree\n',
      [`recordings/day=2026-11-22/cluster=arn%3Aaws%2Fx/${stem}-1.ndjson.gz`]: 'two\n',
      [`recordings/day=2026-11-22/cluster=eu-1/${stem}-2.ndjson.gz`]: 'four\n',
    })
  })

  it('starts a part each day, and stores earlier data with the previous day', async () => {
    const { sink, objects, setTime } = setUp()
    const { part } = sink
    sink.append(chunk('eu-1', 'one'))
    setTime(MIDNIGHT)
    expect(sink.part).toBe(part)
    await sink.flush(inTime())
    expect(sink.part).toBe(part + 1)
    expect([...objects.keys()][0]).toContain('day=2026-11-22/')
  })

  it('loses only what a failed store rejected, and reports it', async () => {
    const { sink, lost, problems, objects } = setUp({
      put: async (key) => {
        if (key.includes('eu-1')) throw new Error('slow down')
        objects.set(key, '')
      },
    })
    sink.append(chunk('eu-1', 'one'))
    sink.append(chunk('eu-2', 'two'))
    await sink.flush(inTime())
    expect(lost).toEqual(['one\n'])
    expect(problems).toEqual([new Error('slow down')])
    expect(objects.size).toBe(1)
  })

  it('waits no longer than its limit', async () => {
    const { sink, lost } = setUp({ put: () => new Promise(() => {}) })
    sink.append(chunk('eu-1', 'one'))
    await sink.flush(AbortSignal.timeout(10))
    expect(lost).toEqual(['one\n'])
  })

  it('rejects data above the waiting limit until it is flushed', async () => {
    const { sink } = setUp({ maxWaitingBytes: 5 })
    expect(['aaaa', 'b'].map((text) => sink.append(chunk('eu-1', text)))).toEqual([true, false])
    await sink.flush(inTime())
    expect(sink.append(chunk('eu-1', 'b'))).toBe(true)
  })
})
