import { describe, expect, it } from 'vitest'
import type { RecordingLine } from '../../../shared/recording/index.ts'
import { timelineOf } from '../index.ts'
import { at, endpoint, gone, stream, write } from '../lines.fixtures.ts'
import { createSpans } from './spans.ts'

async function spansOf(lines: readonly RecordingLine[], since = 0) {
  const spans = createSpans()
  for await (const entry of timelineOf(stream(...lines), { since })) spans.add(entry)
  const read = spans.read()
  const seconds = (ms: number): number => (ms - Date.parse(at(0))) / 1000
  const texts = read.spans.map(
    ({ name, state, fromMs, toMs }) => `${name} ${state} ${seconds(fromMs)}-${seconds(toMs)}`,
  )
  return { ...read, texts }
}

const UNREADY = { conditions: { ready: false } }
const READY = { conditions: { ready: true } }
const change = (from: object, to: object) => ({ addresses: ['10.1.2.1'], target: 'web-1', from, to })
const STORY: readonly RecordingLine[] = [
  write(1, 'web-a - 1', { came: [endpoint(1), endpoint(2)] }),
  write(3, 'web-a 1 2', { changed: [change(READY, UNREADY)] }),
  write(4, 'web-a 2 3', { changed: [change(UNREADY, READY)] }),
  write(5, 'web-a 3 4', { changed: [change({ zone: 'a' }, { zone: 'b' })] }),
  write(7, 'web-a 4 5', { went: [{ endpoint: endpoint(1), cause: 'Deleted' }] }),
]

describe('the spans of endpoints', () => {
  it('say when each was published, and in which state', async () => {
    expect((await spansOf(STORY)).texts).toEqual([
      'web-1 10.1.2.1 ready 1-3',
      'web-1 10.1.2.1 not ready 3-4',
      'web-1 10.1.2.1 ready 4-7',
      'web-2 10.1.2.2 ready 1-7',
    ])
  })

  it('begin with the part that is reported, as far as it is known what was before', async () => {
    expect((await spansOf(STORY, Date.parse(at(4)))).texts).toEqual([
      'web-1 10.1.2.1 not ready 4-4',
      'web-1 10.1.2.1 ready 4-7',
    ])
    expect((await spansOf(STORY, Date.parse(at(7)))).texts).toEqual(['web-1 10.1.2.1 unknown 7-7'])
  })

  it('go on where an endpoint moves, and end where its slice is gone', async () => {
    const lines = [
      write(1, 'web-a - 1', { came: [endpoint(1)] }),
      write(2, 'web-b - 2', { came: [endpoint(1)] }),
      write(3, 'web-a 1 3', { went: [{ endpoint: endpoint(1), cause: 'Moved', to: 'web-b' }] }),
      gone(5, 'web-b', '2'),
      write(9, 'web-c - 9'),
    ]
    expect((await spansOf(lines)).texts).toEqual(['web-1 10.1.2.1 ready 1-5'])
  })

  it('are those of the endpoints to which most happened, and the latest of each', async () => {
    const many = Array.from({ length: 60 }, (_, index) => endpoint(index + 1))
    const flaps = Array.from({ length: 100 }, (_, index) => {
      const [from, to] = index % 2 === 0 ? [READY, UNREADY] : [UNREADY, READY]
      const changed = [{ addresses: ['10.1.2.60'], target: 'web-60', from, to }]
      return write(10 + index, `web-a ${index + 1} ${index + 2}`, { changed })
    })
    const { names, hidden, spans } = await spansOf([write(1, 'web-a - 1', { came: many }), ...flaps])
    expect(names).toHaveLength(40)
    expect(names).toContain('web-60 10.1.2.60')
    expect(hidden).toBe(20)
    const own = spans.filter(({ name }) => name === 'web-60 10.1.2.60')
    expect(own).toHaveLength(51)
    expect(own.at(-1)?.toMs).toBe(Date.parse(at(109)))
  })
})
