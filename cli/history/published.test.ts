import { describe, expect, it } from 'vitest'
import type { RecordingLine, StartRecord } from '../../shared/recording/index.ts'
import { describePublished, publishedAt } from './index.ts'
import { at, endpoint, PORTS, snapshot, stream, WEB, write } from './lines.fixtures.ts'

const LINES = [
  snapshot(
    1,
    ['web-b', '1'],
    [endpoint(1, { conditions: { ready: false, serving: true, terminating: true } })],
  ),
  write(2, 'web-a - 2', { came: [endpoint(2, { nodeName: 'node-1', zone: 'a' })] }),
  write(3, 'web-b 1 -', { went: [{ endpoint: endpoint(1), cause: 'Deleted' }] }),
  write(4, 'web-a 3 4', { came: [endpoint(3)] }),
]
const published = (seconds: number) => publishedAt(stream(...LINES), WEB, Date.parse(at(seconds)))

describe('what was published', () => {
  it('is what the records up to that time say, in the order of names', async () => {
    expect(await published(2)).toEqual({
      version: 1,
      ...WEB,
      at: at(2),
      lastRecord: at(2),
      slices: [
        {
          slice: 'web-a',
          version: '2',
          time: at(2),
          addressType: 'IPv4',
          ports: PORTS,
          endpoints: [endpoint(2, { nodeName: 'node-1', zone: 'a' })],
          isCertain: true,
        },
        expect.objectContaining({ slice: 'web-b', version: '1' }),
      ],
    })
    expect((await published(3.999)).slices.map(({ slice }) => slice)).toEqual(['web-a'])
  })

  it('is not known before the first record', async () => {
    const report = await published(0.999)
    expect(report).not.toHaveProperty('lastRecord')
    expect(describePublished(report)).toContain('Published:  not known: the first record is later')
  })

  it('is a table for people', async () => {
    expect(describePublished(await published(2))).toBe(`Service:    shop/web
Cluster:    eu-1
At:         2026-11-22T03:12:02.000Z
Published:  2 slices, 2 endpoints, 1 ready
Known by:   records up to 2026-11-22T03:12:02.000Z

web-a: IPv4, ports http 8080/TCP, version 2 since 2026-11-22T03:12:02.000Z
  ADDRESSES  OBJECT  NODE    ZONE  CONDITIONS
  10.1.2.2   web-2   node-1  a     ready, serving

web-b: IPv4, ports http 8080/TCP, version 1 since 2026-11-22T03:12:01.000Z
  ADDRESSES  OBJECT  NODE  ZONE  CONDITIONS
  10.1.2.1   web-1   -     -     not ready, serving, terminating
`)
  })

  it('is not certain of a slice that nobody has read since the one recording process started again', async () => {
    const start: StartRecord = {
      ...{ v: 1, kind: 'start', time: at(2), worker: 'host-2', cluster: WEB.cluster, share: 1, settings: {} },
      isFirst: true,
    }
    const slices = [snapshot(1, ['web-a', '1'], [endpoint(1)]), snapshot(1, ['web-b', '2'], [endpoint(2)])]
    const lines = stream<RecordingLine>(...slices, start, snapshot(3, ['web-a', '1'], [endpoint(1)]))
    const report = await publishedAt(lines, WEB, Date.parse(at(4)))
    expect(report.slices.map(({ slice, isCertain }) => [slice, isCertain])).toEqual([
      ['web-a', true],
      ['web-b', false],
    ])
    expect(describePublished(report)).toContain('2 slices, 2 endpoints, 2 ready; 1 slice not certain\n')
  })

  it('says where it is not certain', async () => {
    expect(describePublished(await published(4))).toContain(
      '\n  not certain, as records are missing: endpoints may be missing or too many, or the slice is gone\n',
    )
  })
})
