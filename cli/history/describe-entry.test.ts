import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../shared/endpointslice/index.ts'
import type { Cause, RecordingLine, WriteRecord } from '../../shared/recording/index.ts'
import { describeEntry, timelineOf } from './index.ts'
import { all, at, endpoint, gone, PORTS, snapshot, stream, WEB, write } from './lines.fixtures.ts'

/** Describes the entry that the last of the lines gives. */
async function words(...lines: readonly RecordingLine[]): Promise<string[]> {
  const entry = (await all(timelineOf(stream(...lines)))).at(-1)
  return entry === undefined ? [] : describeEntry(entry)
}

const MADE = write(1, 'web-a - 1', { came: [endpoint(7), endpoint(8)] })
const BY = '; slice web-a, written by host-1'
const second = (more: Partial<WriteRecord>): Promise<string[]> => words(MADE, write(4.123, 'web-a 1 2', more))

describe('a line of the timeline', () => {
  it('says who left, why, by whom, and how late', async () => {
    const more: Partial<WriteRecord> = {
      went: [{ endpoint: endpoint(7), cause: 'NotSelected' }],
      pods: { 'web-7': '812' },
      trigger: '2026-11-22T03:12:03.983Z',
      message: { sentAt: at(4), receiveCount: 1 },
      worker: 'reconcile-2f1',
      request: 'c0ffee',
    }
    expect(await second(more)).toEqual([
      '10.1.2.7 left: pod web-7 is not selected any longer (version 812); slice web-a, written by reconcile-2f1 in request c0ffee 140 ms after the change, 123 ms after its key was sent',
    ])
  })

  it('does not pretend to know more of a change than its second', async () => {
    const went = [{ endpoint: endpoint(7), cause: 'Deleted' as const }]
    const [line] = await second({ went, trigger: '2026-11-22T03:12:04Z' })
    expect(line).toContain('host-1 at most 123 ms after the change')
    expect((await second({ went, trigger: at(9) }))[0]).toBe(`10.1.2.7 left: pod web-7 was deleted${BY}`)
  })

  it.each<[Cause, string]>([
    ['Deleted', 'pod web-7 was deleted'],
    ['NotNamed', 'no pod, no annotation and no Endpoints of the Service provide it'],
    ['ServiceDeleted', 'the Service was deleted'],
    ['OfLater' as Cause, 'OfLater'],
  ])('has words for a cause, and the cause itself where it is not known: %s', async (cause, text) => {
    expect(await second({ went: [{ endpoint: endpoint(7), cause }] })).toEqual([
      `10.1.2.7 left: ${text}${BY}`,
    ])
  })

  const STATES = { ready: true, serving: true, terminating: false }
  it.each<[Partial<Endpoint>, Partial<Endpoint>, string]>([
    [{ conditions: STATES }, { conditions: { ...STATES, ready: false, serving: false } }, 'became unready'],
    [{ conditions: { ready: false } }, {}, 'became ready'],
    [
      { conditions: STATES },
      { conditions: { ready: false, serving: true, terminating: true } },
      'began to terminate, became unready',
    ],
    [
      { conditions: { ready: false, serving: true, terminating: true } },
      { conditions: { ready: false, serving: false, terminating: true } },
      'stopped serving',
    ],
    [{ zone: 'a' }, { zone: 'b' }, 'changed zone a → b'],
    [{}, { hints: { forZones: [{ name: 'a' }, { name: 'b' }] } }, 'changed hints none → a+b'],
    [
      { nodeName: 'n1', hostname: 'h' },
      { nodeName: 'n2' },
      'changed node n1 → n2, changed hostname h → none',
    ],
    [
      { targetRef: { kind: 'Pod', name: 'web-7', uid: 'u1' } },
      { targetRef: { kind: 'Pod', name: 'web-7', uid: 'u2' } },
      'changed object Pod web-7 of uid u1 → Pod web-7 of uid u2',
    ],
  ])('says how an endpoint changed from %j to %j', async (from, to, text) => {
    const changed = [{ addresses: ['10.1.2.7'], target: 'web-7', from, to }]
    expect(await second({ changed, pods: { 'web-7': '812' } })).toEqual([
      `10.1.2.7: pod web-7 ${text} (version 812)${BY}`,
    ])
    expect(await second({ changed: [{ addresses: ['10.1.2.7'], from, to }] })).toEqual([
      `10.1.2.7 ${text}${BY}`,
    ])
  })

  it('says of new slices and of those that go what they bring and take', async () => {
    expect(await words(MADE)).toEqual([
      '10.1.2.7 came: pod web-7 is ready; new slice web-a, made by host-1',
      '10.1.2.8 came: pod web-8 is ready; new slice web-a, made by host-1',
    ])
    const unready = { addresses: ['10.9.9.9'], conditions: { ready: false } }
    expect(await words(write(1, 'web-a - 1', { came: [unready] }))).toEqual([
      '10.9.9.9 came, not ready; new slice web-a, made by host-1',
    ])
    expect(
      await words(MADE, write(2, 'web-a 1 -', { went: [{ endpoint: endpoint(7), cause: 'Terminal' }] })),
    ).toEqual(['10.1.2.7 left: pod web-7 has ended; slice web-a, deleted by host-1'])
    expect(await words(write(1, 'web-a - 1'))).toEqual(['new slice web-a without endpoints, made by host-1'])
  })

  it('is one for many endpoints that met the same', async () => {
    const many = [1, 2, 3, 4, 5, 6, 7].map((number) => endpoint(number))
    expect(
      await words(write(1, 'web-a - 1', { came: [...many, endpoint(9, { conditions: { ready: false } })] })),
    ).toEqual([
      '10.1.2.1, 10.1.2.2, 10.1.2.3, 10.1.2.4, 10.1.2.5 and 2 more came: their pods are ready; new slice web-a, made by host-1',
      '10.1.2.9 came: pod web-9 is not ready; new slice web-a, made by host-1',
    ])
    const [line] = await second({ went: many.map((one) => ({ endpoint: one, cause: 'Deleted' })) })
    expect(line).toMatch(/^10\.1\.2\.1, .* and 2 more left: their pods were deleted; slice web-a/)
  })

  it('is followed by what else had a say', async () => {
    const more: Partial<WriteRecord> = {
      ports: PORTS,
      hold: 'held',
      fights: ['web-c', 'web-d'],
      message: { lane: 'sweep', receiveCount: 3 },
    }
    expect(await words(MADE, write(2, 'web-a 5 6', more))).toEqual([
      'slice web-a with the same endpoints, written by host-1',
      '  a write of this slice before it is not in the recording',
      '  the ports of the slice changed',
      '  the plan is held, as it removes too much: only a note of it is written',
      '  left alone, as another client keeps editing them: web-c, web-d',
      '  the key came by the sweep lane',
      '  the queue had delivered its message 3 times',
    ])
  })

  it('says what others did, and what nobody knows', async () => {
    expect(await words(snapshot(1, ['web-a', '5'], [endpoint(7)]))).toEqual([
      'slice web-a has 1 endpoint when its records begin, read by host-1',
      '  10.1.2.7 is there: pod web-7 is ready',
    ])
    expect(await words(MADE, snapshot(2, ['web-a', '5'], [endpoint(7)]))).toEqual([
      '10.1.2.8 left; slice web-a, written by another client, or records are missing (version 1 → 5), read by host-1',
    ])
    expect(await words(write(1, 'web-a - 1', { came: [endpoint(7)] }), gone(2, 'web-a', '1'))).toEqual([
      'slice web-a (version 1) is gone, deleted by another client; noticed by host-1',
      '  10.1.2.7 left',
    ])
    expect(
      await words({ v: 1, kind: 'lost', cluster: 'eu-1', time: at(1), worker: 'host-1', count: 1 }),
    ).toEqual(['1 record of host-1 is missing'])
    expect(
      await words({
        v: 1,
        ...WEB,
        kind: 'change',
        time: at(1),
        worker: 'relay',
        about: ['pod', 'node'],
        count: 3,
        lane: 'live',
      }),
    ).toEqual(['the relay sent its key on the live lane after 3 changes (pod, node)'])
  })

  it('prevents forged lines by names', async () => {
    const [line] = await second({ worker: 'host\n03:00:00.000  all is well', went: [] })
    expect(line).toBe('slice web-a with the same endpoints, written by host 03:00:00.000  all is well')
  })
})
