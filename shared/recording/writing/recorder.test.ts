import { afterEach, describe, expect, it, vi } from 'vitest'
import { seal } from '../../changes/index.ts'
import type { EndpointSlice } from '../../endpointslice/index.ts'
import { createRecorder, type RecorderOptions } from '../index.ts'
import { createMemoryRecorder, createMemorySink } from './memory-sink.fixtures.ts'

const WEB = { cluster: 'eu-1', namespace: 'shop', service: 'web' }

const slice = (version: string, ...addresses: readonly string[]): EndpointSlice => ({
  metadata: { name: 'web-a', resourceVersion: version },
  addressType: 'IPv4',
  endpoints: addresses.map((address) => ({ addresses: [address] })),
  ports: [{ name: 'http', port: 80 }],
})

const SECOND_LATER = { time: '1970-01-01T00:00:01.000Z', request: 'r2' }
const REASONS = { removalCauseOf: () => ({ cause: 'Deleted' as const }), podVersion: () => undefined }

function setUp(options: Omit<Partial<RecorderOptions>, 'sink'> = {}) {
  const lost: number[] = []
  const onLost = (records: number): void => void lost.push(records)
  const { sink, recorder } = createMemoryRecorder({ onLost, ...options })
  const update = (before: EndpointSlice, after: EndpointSlice): void =>
    recorder.wrote(WEB, { action: 'update', before, after, reasons: REASONS })
  const kinds = (): string[] => sink.records().map(({ kind }) => kind)
  return { sink, recorder, update, kinds, lost }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('createRecorder', () => {
  it('begins with a start record, and a slice with the state before its first write', () => {
    const { sink, update } = setUp({
      share: 0.5,
      settings: { packing: 'compact' },
      now: () => 0,
      request: () => 'r1',
    })
    update(slice('1', '10.0.0.1'), slice('2', '10.0.0.1', '10.0.0.2'))
    const common = { v: 1, time: '1970-01-01T00:00:00.000Z', worker: 'w1', request: 'r1' }
    expect(sink.records()).toMatchObject([
      { ...common, kind: 'start', cluster: 'eu-1', share: 0.5, settings: { packing: 'compact' } },
      {
        ...common,
        kind: 'snapshot',
        ...WEB,
        slice: 'web-a',
        version: '1',
        endpoints: [{ addresses: ['10.0.0.1'] }],
      },
      {
        ...common,
        kind: 'write',
        ...WEB,
        versionBefore: '1',
        versionAfter: '2',
        came: [{ addresses: ['10.0.0.2'] }],
      },
    ])
  })

  it('creates a record after the caller has returned, with the time and request of the call', () => {
    vi.useFakeTimers()
    const sink = createMemorySink()
    const current = { now: 0, request: 'r1' }
    const options = { now: () => current.now, request: () => current.request }
    const { saw, settle } = createRecorder({ sink, worker: 'w1', settings: {}, ...options })
    const begin = { kind: 'snapshot', time: '1970-01-01T00:00:00.000Z', request: 'r1' }
    saw(WEB, [slice('1')])
    Object.assign(current, { now: 1_000, request: 'r2' })
    expect(sink.records()).toEqual([])
    vi.advanceTimersByTime(150)
    expect(sink.records().slice(1)).toMatchObject([begin])
    saw(WEB, [slice('2')])
    settle()
    expect(sink.records().slice(1)).toMatchObject([begin, { ...begin, ...SECOND_LATER, version: '2' }])
  })

  it('creates many records in several turns, each once and in the order of the calls', () => {
    vi.useFakeTimers()
    const sink = createMemorySink()
    const { saw, settle } = createRecorder({ sink, worker: 'w1', settings: {} })
    const versions = Array.from({ length: 50 }, (_, index) => String(index + 1))
    const made = (): string[] =>
      sink.records().flatMap((record) => (record.kind === 'snapshot' ? [record.version] : []))
    for (const version of versions) saw(WEB, [slice(version)])
    vi.advanceTimersByTime(149)
    expect(made()).toEqual([])
    vi.advanceTimersToNextTimer()
    expect(made()).toEqual(versions.slice(0, 16))
    vi.advanceTimersToNextTimer()
    expect(made()).toEqual(versions.slice(0, 32))
    settle()
    vi.runAllTimers()
    expect(made()).toEqual(versions)
  })

  it('records no state that earlier records contain', () => {
    const { recorder, update, kinds } = setUp()
    update(slice('1'), slice('2', '10.0.0.1'))
    recorder.saw(WEB, [slice('2', '10.0.0.1')])
    update(slice('2', '10.0.0.1'), slice('3'))
    expect(kinds()).toEqual(['start', 'snapshot', 'write', 'write'])
  })

  it.each<[string, (with_: ReturnType<typeof setUp>) => void]>([
    ['somebody else has written meanwhile', ({ update }) => update(slice('7', '10.0.0.9'), slice('8'))],
    [
      'a write failed that may have been taken',
      ({ recorder, update }) => {
        recorder.failed(WEB)
        update(slice('2', '10.0.0.1'), slice('3'))
      },
    ],
  ])('records the state once more where %s', (_, happen) => {
    const recording = setUp()
    recording.update(slice('1'), slice('2', '10.0.0.1'))
    happen(recording)
    expect(recording.kinds()).toEqual(['start', 'snapshot', 'write', 'snapshot', 'write'])
  })

  it('starts again with each part of the sink', () => {
    const { sink, update, kinds } = setUp()
    update(slice('1'), slice('2', '10.0.0.1'))
    sink.part++
    update(slice('2', '10.0.0.1'), slice('3'))
    expect(kinds()).toEqual(['start', 'snapshot', 'write', 'start', 'snapshot', 'write'])
  })

  it.each([
    ['its own file', false, [true, undefined]],
    ['a location that others share', true, [undefined, undefined]],
  ])('says that a process begins, and not that a part does, in %s', (_what, isShared, firsts) => {
    const { sink, update } = setUp()
    sink.isShared = isShared
    update(slice('1'), slice('2', '10.0.0.1'))
    sink.part++
    update(slice('2', '10.0.0.1'), slice('3'))
    const starts = sink.records().filter((record) => record.kind === 'start')
    expect(starts.map(({ isFirst }) => isFirst)).toEqual(firsts)
  })

  it('omits writes that another worker at the same location records, but not those of others', () => {
    const { sink, update, kinds } = setUp()
    sink.isShared = true
    update(slice('1'), slice('2', '10.0.0.1'))
    update(seal(slice('4', '10.0.0.2')), slice('5'))
    expect(kinds()).toEqual(['start', 'snapshot', 'write', 'write'])
    update({ ...seal(slice('6')), endpoints: [{ addresses: ['10.0.0.9'] }] }, slice('7'))
    expect(kinds().slice(4)).toEqual(['snapshot', 'write'])
  })

  it('records the deletion of a slice by others once', () => {
    const { sink, recorder } = setUp()
    recorder.saw(WEB, [slice('1')])
    recorder.saw(WEB, [])
    recorder.saw(WEB, [])
    recorder.saw(WEB, [slice('5')])
    recorder.gone(WEB, 'web-a')
    recorder.gone(WEB, 'web-a')
    expect(sink.records()).toMatchObject([
      { kind: 'start' },
      { kind: 'snapshot', version: '1' },
      { kind: 'gone', slice: 'web-a', version: '1' },
      { kind: 'snapshot', version: '5' },
      { kind: 'gone', slice: 'web-a', version: '5' },
    ])
  })

  it('counts records that the sink rejects, records the loss, and relies on nothing before it', () => {
    const { sink, update, lost } = setUp()
    update(slice('1'), slice('2', '10.0.0.1'))
    sink.hasRoom = false
    update(slice('2', '10.0.0.1'), slice('3'))
    update(slice('3'), slice('4', '10.0.0.2'))
    sink.hasRoom = true
    update(slice('4', '10.0.0.2'), slice('5'))
    // The second lost write would have included the state before it.
    expect(lost).toEqual([1, 2])
    expect(sink.records().slice(3)).toMatchObject([
      { kind: 'start' },
      { kind: 'lost', cluster: 'eu-1', count: 3 },
      { kind: 'snapshot', version: '4' },
      { kind: 'write', versionAfter: '5' },
    ])
  })

  it('records later losses, including losses that the lost records reported', () => {
    const { sink, update, lost } = setUp()
    sink.hasRoom = false
    update(slice('1'), slice('2'))
    sink.hasRoom = true
    update(slice('2'), slice('3'))
    sink.loseLast()
    update(slice('3'), slice('4'))
    expect(lost).toEqual([2, 2])
    expect(sink.records()).toMatchObject([
      { kind: 'start' },
      { kind: 'lost', count: 4 },
      { kind: 'snapshot', version: '3' },
      { kind: 'write', versionAfter: '4' },
    ])
  })

  it('drops events that it cannot record, and never throws', () => {
    const { update, lost } = setUp()
    update({ ...slice('1'), endpoints: [JSON.parse('{}')] }, slice('2'))
    expect(lost).toEqual([1])
  })

  it('records the configured share of Services, each completely', () => {
    const services = Array.from({ length: 2000 }, (_, index) => ({ ...WEB, service: `web-${index}` }))
    const recorded = (share: number) => {
      const { recorder } = setUp({ share })
      return services.filter((key) => recorder.records(key))
    }
    expect(recorded(1)).toHaveLength(2000)
    expect(recorded(0)).toHaveLength(0)
    expect(recorded(0.25).length).toBeGreaterThan(400)
    expect(recorded(0.25).length).toBeLessThan(600)
    expect(recorded(0.5)).toEqual(expect.arrayContaining(recorded(0.25)))
  })
})
