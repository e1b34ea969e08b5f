import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ClusterStatus } from '../../../local/index.ts'
import { UsageError } from '../../../usage.ts'
import { openWatchScreen } from './watch-screen.ts'

const stream = (isTTY: boolean): NodeJS.WriteStream =>
  Object.assign(new PassThrough(), { isTTY, columns: 120, rows: 24, getColorDepth: () => 1 }) as never
const textOf = (one: NodeJS.WriteStream): string => String((one as unknown as PassThrough).read() ?? '')

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-03-01T12:00:00Z') }))
afterEach(() => void vi.useRealTimers())

describe('the screen of a run', () => {
  let cluster: ClusterStatus
  const read = () => ({
    status: { version: 1, startedAt: '2026-03-01T12:00:00Z', clusters: [cluster] } as const,
    unreachable: [],
    tasks: { tasks: [], more: 0 },
  })
  beforeEach(() => {
    cluster = { name: 'eu-1', failures: 0, waiting: 0, writes: 0 }
  })

  it('is drawn each second, and the terminal is given back as it was', () => {
    const [output, errors] = [stream(true), stream(true)]
    const screen = openWatchScreen({ output, errors })
    screen.log('before\n')
    expect(textOf(errors)).toBe('before\n')
    screen.show(read)
    const first = textOf(output)
    expect(first.startsWith('\u001b[?1049h\u001b[?25l\u001b[H')).toBe(true)
    expect(first).toMatch(/eu-1 +listing/)
    cluster = { ...cluster, syncedAt: '2026-03-01T12:00:01Z', writes: 8 }
    screen.log('while it is shown\n')
    vi.advanceTimersByTime(1_000)
    const second = textOf(output)
    expect(second).toMatch(/eu-1 +following .* 8 +0 +█/)
    expect(second).toMatch(/before.*while it is shown/s)
    screen.close()
    expect(textOf(output)).toBe('\u001b[?25h\u001b[?1049l')
    screen.close()
    vi.advanceTimersByTime(10_000)
    expect(textOf(output)).toBe('')
    screen.log('after\n')
    expect(textOf(errors)).toBe('after\n')
  })

  it('leaves the log where it goes to when that is no terminal', () => {
    const [output, errors] = [stream(true), stream(false)]
    const screen = openWatchScreen({ output, errors })
    screen.show(read)
    screen.log('a line\n')
    expect(textOf(errors)).toBe('a line\n')
    screen.close()
  })

  it('needs a terminal', () => {
    expect(() => openWatchScreen({ output: stream(false), errors: stream(true) })).toThrow(UsageError)
  })
})
