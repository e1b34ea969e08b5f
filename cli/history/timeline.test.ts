import { describe, expect, it } from 'vitest'
import type { RecordingLine } from '../../shared/recording/index.ts'
import { type HistoryEntry, type TimelineFilter, timelineOf } from './index.ts'
import { all, at, endpoint, gone, snapshot, stream, WEB, write } from './lines.fixtures.ts'

const timeline = (lines: readonly RecordingLine[], filter?: TimelineFilter): Promise<HistoryEntry[]> =>
  all(timelineOf(stream(...lines), filter))

const UNREADY = { conditions: { ready: false } }

describe('a timeline', () => {
  it('reports for each write what became of which endpoints, and by what', async () => {
    const record = write(4, 'web-a 1 2', {
      came: [endpoint(1)],
      went: [{ endpoint: endpoint(2), cause: 'Deleted' }],
      changed: [{ addresses: ['10.1.2.3'], target: 'web-3', from: {}, to: UNREADY }],
      pods: { 'web-1': '11', 'web-3': '13' },
      trigger: at(3),
      message: { lane: 'live', sentAt: at(3.5), receiveCount: 1 },
      sync: 'hint',
      request: 'r1',
    })
    expect(await timeline([snapshot(4, ['web-a', '1'], [endpoint(2), endpoint(3)]), record])).toEqual([
      expect.objectContaining({ kind: 'Found', slice: 'web-a', sliceVersion: '1', count: 2 }),
      {
        version: 1,
        kind: 'Write',
        time: at(4),
        worker: 'host-1',
        request: 'r1',
        slice: 'web-a',
        action: 'update',
        addressType: 'IPv4',
        versionBefore: '1',
        versionAfter: '2',
        trigger: at(3),
        message: { lane: 'live', sentAt: at(3.5), receiveCount: 1 },
        sync: 'hint',
        endpoints: [
          { event: 'Left', addresses: ['10.1.2.2'], pod: 'web-2', cause: 'Deleted' },
          {
            event: 'Changed',
            addresses: ['10.1.2.3'],
            pod: 'web-3',
            podVersion: '13',
            from: {},
            to: UNREADY,
          },
          { event: 'Came', addresses: ['10.1.2.1'], pod: 'web-1', podVersion: '11', ready: true },
        ],
      },
    ])
  })

  it('distinguishes an endpoint that another slice takes over from one that comes and one that leaves', async () => {
    const entries = await timeline([
      write(1, 'web-a - 1', { came: [endpoint(1)] }),
      write(2, 'web-b - 2', { came: [endpoint(1, UNREADY)] }),
      write(3, 'web-a 1 3', { went: [{ endpoint: endpoint(1), cause: 'Moved', to: 'web-b' }] }),
    ])
    const of = { addresses: ['10.1.2.1'], pod: 'web-1' }
    expect(entries.slice(1)).toMatchObject([
      { slice: 'web-b', endpoints: [{ event: 'Moved', ...of, from: 'web-a' }] },
      { slice: 'web-a', endpoints: [{ event: 'Moved', ...of, to: 'web-b' }] },
    ])
  })

  it.each([
    ['another address type', { addressType: 'IPv6' }],
    ['other ports', { ports: [] }],
  ])('does not take an endpoint of %s for one that moved', async (_, more) => {
    const entries = await timeline([
      write(1, 'web-a - 1', { came: [endpoint(1)] }),
      write(2, 'web-b - 2', { came: [endpoint(1)], ...more }),
    ])
    expect(entries[1]).toMatchObject({ endpoints: [{ event: 'Came' }] })
  })

  it('reports what somebody else wrote, and only where it matters to endpoints', async () => {
    const foreign = { addresses: ['10.66.6.6'] }
    const entries = await timeline([
      write(1, 'web-a - 1', { came: [endpoint(1), endpoint(2)] }),
      snapshot(2, ['web-a', '1'], [endpoint(1), endpoint(2)]),
      snapshot(3, ['web-a', '2'], [endpoint(2), endpoint(1)]),
      snapshot(4, ['web-a', '3'], [endpoint(2), foreign]),
      gone(5, 'web-a', '3'),
      gone(6, 'web-b', '3'),
    ])
    expect(entries.slice(1)).toMatchObject([
      {
        kind: 'Found',
        time: at(4),
        knownVersion: '2',
        sliceVersion: '3',
        endpoints: [
          { event: 'Left', addresses: ['10.1.2.1'], pod: 'web-1' },
          { event: 'Came', addresses: ['10.66.6.6'] },
        ],
      },
      {
        kind: 'Gone',
        time: at(5),
        endpoints: [
          { event: 'Left', pod: 'web-2' },
          { event: 'Left', addresses: foreign.addresses },
        ],
      },
    ])
    expect(entries).toHaveLength(3)
  })

  it('concludes from a slice that is recreated that somebody had deleted it', async () => {
    const entries = await timeline([
      write(1, 'web-a - 1', { came: [endpoint(1)] }),
      write(5, 'web-a - 5', { came: [endpoint(1)] }),
    ])
    expect(entries.slice(1)).toMatchObject([
      { kind: 'Gone', time: at(5), sliceVersion: '1', endpoints: [{ event: 'Left', pod: 'web-1' }] },
      { kind: 'Write', action: 'create', endpoints: [{ event: 'Came', pod: 'web-1' }] },
    ])
    expect(entries.some((entry) => 'isGap' in entry)).toBe(false)
  })

  it('says where a write is missing', async () => {
    const entries = await timeline([write(1, 'web-a - 1'), write(2, 'web-a 1 2'), write(3, 'web-a 3 4')])
    expect(entries.map((entry) => 'isGap' in entry)).toEqual([false, false, true])
  })

  const STORY: readonly RecordingLine[] = [
    write(1, 'web-a - 1', { came: [endpoint(1), endpoint(2)] }),
    { v: 1, ...WEB, kind: 'change', time: at(2), worker: 'r', about: ['pod'], count: 1, pods: ['web-1'] },
    write(3, 'web-a 1 2', { went: [{ endpoint: endpoint(1), cause: 'Gone' }] }),
    { v: 1, cluster: 'eu-1', kind: 'lost', time: at(4), worker: 'host-1', count: 7 },
    write(5, 'web-a 2 3', { went: [{ endpoint: endpoint(2), cause: 'Gone' }] }),
  ]

  it.each<[string, TimelineFilter, string[]]>([
    ['everything', {}, ['1 s Write', '2 s Sent', '3 s Write', '4 s Lost', '5 s Write']],
    ['an address', { address: '10.1.2.2' }, ['1 s Write', '4 s Lost', '5 s Write']],
    ['a pod', { pod: 'web-1' }, ['1 s Write', '2 s Sent', '3 s Write', '4 s Lost']],
    ['a time', { since: Date.parse(at(2)), until: Date.parse(at(3)) }, ['2 s Sent', '3 s Write']],
  ])('lists %s', async (_, filter, reported) => {
    const entries = await timeline(STORY, filter)
    const start = Date.parse(at(0))
    expect(entries.map(({ time, kind }) => `${(Date.parse(time) - start) / 1000} s ${kind}`)).toEqual(
      reported,
    )
  })

  it('leaves out other endpoints of a write, and knows what was before the time asked for', async () => {
    const [first] = await timeline(STORY, { address: '10.1.2.2' })
    expect(first).toMatchObject({ endpoints: [{ addresses: ['10.1.2.2'] }] })
    const moved = [...STORY.slice(0, 1), write(9, 'web-b - 9', { came: [endpoint(1)] })]
    expect(await timeline(moved, { since: Date.parse(at(9)) })).toMatchObject([
      { endpoints: [{ event: 'Moved', from: 'web-a' }] },
    ])
  })
})
