import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../endpointslice/index.ts'
import { createReplay, type GoneRecord, type Replay, type SnapshotRecord, type WriteRecord } from './index.ts'
import { A_GONE, A_SNAPSHOT, A_START, A_WRITE, LOST } from './records.fixtures.ts'

const endpoint = (number: number, more: Partial<Endpoint> = {}): Endpoint => ({
  addresses: [`10.1.0.${number}`],
  conditions: { ready: true },
  targetRef: { kind: 'Pod', namespace: 'shop', name: `web-${number}` },
  ...more,
})

const snapshot = (version: string, endpoints: readonly Endpoint[]): SnapshotRecord => ({
  ...A_SNAPSHOT,
  slice: 'web-1',
  version,
  endpoints,
})

/** Creates a write of the slice `web-1` from one version to another; `-` for no version. */
function write(versions: `${string} ${string}`, more: Partial<WriteRecord> = {}): WriteRecord {
  const [before = '-', after = '-'] = versions.split(' ')
  const { versionBefore: _before, versionAfter: _after, ports: _ports, ...common } = A_WRITE
  return {
    ...common,
    slice: 'web-1',
    action: before === '-' ? 'create' : after === '-' ? 'delete' : 'update',
    ...(before !== '-' && { versionBefore: before }),
    ...(after !== '-' && { versionAfter: after }),
    came: [],
    went: [],
    changed: [],
    ...more,
  }
}

const went = (...endpoints: readonly Endpoint[]): WriteRecord['went'] =>
  endpoints.map((endpoint) => ({ endpoint, cause: 'Deleted' }))

function play(...records: readonly (SnapshotRecord | WriteRecord)[]): Replay {
  const replay = createReplay()
  for (const record of records) replay.apply(record)
  return replay
}

const endpointsOf = (replay: Replay): (readonly Endpoint[])[] =>
  replay.slices().map((slice) => slice.endpoints)

describe('a replay', () => {
  it('applies the writes of a slice', () => {
    const ports = [{ name: 'http', port: 8080 }]
    const replay = play(
      write('- 1', { came: [endpoint(1), endpoint(2)], ports }),
      write('1 2', { came: [endpoint(3)], went: went(endpoint(1)), time: '2026-11-22T03:12:05.000Z' }),
    )
    expect(replay.slices()).toMatchObject([
      { version: '2', ports, time: '2026-11-22T03:12:05.000Z', isCertain: true, service: 'web' },
    ])
    expect(endpointsOf(replay)).toEqual([[endpoint(2), endpoint(3)]])
    expect(play(write('- 1'), write('1 -')).slices()).toEqual([])
  })

  it('sets, changes and removes fields of endpoints', () => {
    const change = {
      addresses: ['10.1.0.1'],
      target: 'web-1',
      from: { conditions: { ready: true }, zone: 'a' },
      to: { conditions: { ready: false }, nodeName: 'node-1' },
    }
    const replay = play(
      snapshot('1', [endpoint(1, { zone: 'a' }), endpoint(2)]),
      write('1 2', { changed: [change] }),
    )
    expect(endpointsOf(replay)).toEqual([
      [endpoint(1, { conditions: { ready: false }, nodeName: 'node-1' }), endpoint(2)],
    ])
  })

  it('removes one of two equal endpoints', () => {
    const [one, other] = [endpoint(1, { zone: 'a' }), endpoint(1, { zone: 'b' })]
    expect(endpointsOf(play(snapshot('1', [one, other]), write('1 2', { went: went(one) })))).toEqual([
      [other],
    ])
    expect(endpointsOf(play(snapshot('1', [one, other]), write('1 2', { went: went(other) })))).toEqual([
      [one],
    ])
  })

  it('starts again with each snapshot after a write by others', () => {
    const replay = play(write('- 1', { came: [endpoint(1)] }))
    expect(replay.apply(snapshot('3', [endpoint(2)]))).toBe('gap')
    expect(replay.apply(write('3 4', { came: [endpoint(3)] }))).toBe('next')
    expect(endpointsOf(replay)).toEqual([[endpoint(2), endpoint(3)]])
  })

  it('drops a slice that somebody else deleted, but not its successor', () => {
    const record: GoneRecord = { ...A_GONE, slice: 'web-1', version: '1' }
    const replay = play(write('- 1'))
    expect(replay.apply(record)).toBe('next')
    expect(replay.slices()).toEqual([])
    expect(replay.apply(write('- 3'))).toBe('first')
    expect(replay.apply(record)).toBe('old')
    expect(replay.slices()).toMatchObject([{ version: '3' }])
  })

  it('is uncertain of a slice after a missing write, until the next snapshot', () => {
    const replay = play(write('- 1'), write('2 3', { came: [endpoint(1)] }), write('3 4'))
    expect(replay.slices()).toMatchObject([{ version: '4', isCertain: false }])
    expect(play(write('2 3')).slices()).toMatchObject([{ isCertain: false }])
    replay.apply(snapshot('5', []))
    expect(replay.slices()).toMatchObject([{ version: '5', isCertain: true }])
  })

  it.each([
    ['with lost records', LOST],
    ['that nobody recorded for a while', { ...A_START, isFirst: true }],
  ])('is uncertain of the slices of a cluster %s, until their next snapshot', (_what, interruption) => {
    const replay = play(write('- 1'), write('- 1', { cluster: 'us-1' }), write('- 1', { slice: 'web-2' }))
    replay.interrupt(A_START)
    expect(replay.slices().every(({ isCertain }) => isCertain)).toBe(true)
    replay.interrupt(interruption)
    replay.apply(snapshot('1', []))
    expect(replay.slices().map(({ slice, isCertain }) => [slice, isCertain])).toEqual([
      ['web-1', true],
      ['web-2', false],
      ['web-1', true],
    ])
  })

  it('skips records that are older than the applied ones, also of a deleted slice', () => {
    const records = [
      write('- 9', { came: [endpoint(1)] }),
      write('9 10', { came: [endpoint(2)] }),
      snapshot('10', [endpoint(1), endpoint(2)]),
      write('10 -'),
    ]
    const replay = play(...records)
    for (const record of records) expect(replay.apply(record)).toBe('old')
    expect(replay.slices()).toEqual([])
    expect(replay.apply(write('- 12', { came: [endpoint(3)] }))).toBe('first')
    expect(endpointsOf(replay)).toEqual([[endpoint(3)]])
  })

  it('accepts older versions that come much later, as after a restore from a backup', () => {
    const at = (time: string) => ({ time: `2026-01-01T12:${time}.000Z` })
    const before = { ...snapshot('900', [endpoint(1)]), ...at('00:00') }
    for (const end of [[], [{ ...write('900 -'), ...at('00:01') }]]) {
      const replay = createReplay()
      for (const record of [before, ...end]) replay.apply(record)
      expect(replay.apply({ ...snapshot('500', [endpoint(2)]), ...at('00:59') })).toBe('old')
      expect(replay.apply({ ...snapshot('500', [endpoint(2)]), ...at('05:00') })).not.toBe('old')
      expect(replay.apply({ ...write('500 501', { came: [endpoint(3)] }), ...at('05:01') })).toBe('next')
      expect(endpointsOf(replay)).toEqual([[endpoint(2), endpoint(3)]])
    }
  })

  it('distinguishes slices of the same name by cluster and namespace', () => {
    const replay = play(
      write('- 1', { cluster: 'b' }),
      write('- 1', { namespace: 'other' }),
      write('- 1', { cluster: 'a' }),
    )
    expect(replay.slices().map(({ cluster, namespace }) => [cluster, namespace])).toEqual([
      ['a', 'shop'],
      ['b', 'shop'],
      ['eu-1', 'other'],
    ])
    expect(replay.find({ cluster: 'a', namespace: 'shop', slice: 'web-1' })?.cluster).toBe('a')
    expect(replay.find({ cluster: 'c', namespace: 'shop', slice: 'web-1' })).toBeUndefined()
  })
})
