import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../endpointslice/index.ts'
import type { ChangeRecord, RecordingLine, WriteRecord } from '../../recording/index.ts'
import type { WorkloadEvent } from '../workloads/index.ts'
import { createPlayer } from './player.ts'

const BY = { v: 1, worker: 'w1', cluster: 'eu-1', namespace: 'shop', service: 'web' } as const
const at = (ms: number): string => new Date(ms).toISOString()

const endpoint = (number: number): Endpoint => ({
  addresses: [`10.0.0.${number}`],
  conditions: { ready: true },
  targetRef: { kind: 'Pod', name: `web-${number}`, uid: `u${number}` },
  nodeName: 'node-1',
})

const sent = (ms: number, ages: readonly number[]): ChangeRecord => ({
  ...BY,
  kind: 'change',
  time: at(ms),
  about: ['pod'],
  count: ages.length,
  ages,
})

function write(
  ms: number,
  action: WriteRecord['action'],
  slice: string,
  more: Partial<WriteRecord>,
): WriteRecord {
  const message = { ids: [`m${ms}`], sentAt: at(ms - 10), receiveCount: 1 }
  const common = { ...BY, kind: 'write', time: at(ms), action, slice, addressType: 'IPv4' } as const
  return { ...common, came: [], went: [], changed: [], pods: {}, message, ...more }
}

const PORTS = [{ name: 'http', port: 8080, protocol: 'TCP' }]

function play(...lines: readonly RecordingLine[]): WorkloadEvent[] {
  const events: WorkloadEvent[] = []
  const player = createPlayer((event) => events.push(event))
  for (const line of lines) player.play(line)
  return events
}

const podTimes = (events: readonly WorkloadEvent[]) =>
  events.flatMap((event) => ('pod' in event ? [[event.pod.metadata?.name, event.atMs]] : []))

describe('playing a recording', () => {
  it('has an EndpointSelector beside the Service of its name, whose endpoints are its own', () => {
    const ofSelector = { service: 'web', ownerKind: 'EndpointSelector' as const }
    const events = play(
      write(1010, 'create', 'web-a', { ports: PORTS, came: [endpoint(1)] }),
      write(1020, 'create', 'web-b', { ...ofSelector, ports: PORTS, came: [endpoint(2)] }),
      write(1030, 'delete', 'web-b', { ...ofSelector, went: [{ endpoint: endpoint(2), cause: 'Deleted' }] }),
    )
    expect(
      events.flatMap((event) =>
        'service' in event ? [[event.service.metadata?.name, event.isGone === true]] : [],
      ),
    ).toEqual([
      ['web', false],
      ['web.endpointselector', false],
      ['web.endpointselector', true],
    ])
  })

  it('gives the moments of a message to its Pods in the order of their versions', () => {
    const events = play(
      sent(1000, [300, 200, 5]),
      write(1010, 'create', 'web-a', {
        ports: PORTS,
        came: [1, 2, 3].map(endpoint),
        pods: { 'web-1': '30', 'web-2': '10', 'web-3': '20' },
      }),
    )
    expect(podTimes(events)).toEqual([
      ['web-1', 995],
      ['web-2', 700],
      ['web-3', 800],
    ])
  })

  it.each([
    ['of its own message where an earlier one led to no write', ['m2'], [2700, 2800]],
    ['of all messages of one sync', ['m1', 'm2'], [700, 2800]],
  ])('gives a write the moments %s', (_, ids, moments) => {
    const message = { ids, sentAt: at(3000), receiveCount: 1 }
    const came = [1, 2].map(endpoint)
    const pods = { 'web-1': '10', 'web-2': '20' }
    const made = write(3010, 'create', 'web-a', { ports: PORTS, came, pods, message })
    const events = play(sent(1000, [300]), sent(3000, ids.length > 1 ? [200] : [300, 200]), made)
    expect(podTimes(events).map(([, time]) => time)).toEqual(moments)
  })

  it('replays how long hinted and full syncs took, and when they were', () => {
    const { play: playLine } = createPlayer(() => {})
    const ofSync = (number: number, ms: number, sync: 'hint' | 'whole') => {
      const message = { ids: [`m${number}`], sentAt: at(number * 1000), receiveCount: 1 }
      return write(number * 1000 + ms, 'update', 'web-a', { message, sync })
    }
    const lines = [
      ofSync(1, 10, 'hint'),
      ofSync(2, 80, 'whole'),
      ofSync(2, 90, 'whole'),
      ofSync(3, 10, 'hint'),
    ]
    expect(lines.flatMap((line) => playLine(line))).toEqual([
      { atMs: 1010, sync: { step: 'single', ms: 10 } },
      { atMs: 2080, sync: { step: 'wholeSeveral', ms: 80, spreadMs: 10 } },
    ])
  })

  it('takes the time of the message where the records of the relay are missing', () => {
    const made = write(1010, 'create', 'web-a', { ports: PORTS, came: [endpoint(1)] })
    expect(podTimes(play(made))).toEqual([['web-1', 1000]])
  })

  it('deletes a Service with its last slice, and creates one again with all of its slices', () => {
    const services = (events: readonly WorkloadEvent[]) =>
      events.flatMap((event) =>
        'service' in event ? [[event.service.metadata?.uid, event.isGone ?? false]] : [],
      )
    const made = write(1010, 'create', 'web-a', { ports: PORTS, came: [endpoint(1)] })
    const gone = write(2000, 'delete', 'web-a', {
      went: [{ endpoint: endpoint(1), cause: 'ServiceDeleted' }],
    })
    const [[first]] = services(play(made)) as [[string, boolean]]
    expect(services(play(made, gone))).toEqual([
      [first, false],
      [first, true],
    ])
    const again = { ids: ['m2000'], sentAt: at(1990), receiveCount: 1 }
    const other = write(2000, 'create', 'web-b', { ports: PORTS, came: [endpoint(1)], message: again })
    const moved = write(2001, 'delete', 'web-a', {
      went: [{ endpoint: endpoint(1), cause: 'Moved', to: 'web-b' }],
      message: again,
    })
    const [, second, ...rest] = services(play(made, other, moved))
    expect(second?.[0]).not.toBe(first)
    expect(rest).toEqual([])
  })

  it('leads ports that have several numbers to a name that each Pod gives its own', () => {
    const events = play(
      write(1010, 'create', 'web-a', { ports: PORTS, came: [endpoint(1)] }),
      write(1011, 'create', 'web-b', {
        ports: [{ name: 'http', port: 9090, protocol: 'TCP' }],
        came: [endpoint(2)],
      }),
    )
    const last = events.findLast((event) => 'service' in event)
    expect(last).toMatchObject({ service: { spec: { ports: [{ name: 'http', targetPort: 'http' }] } } })
    const ports = events.flatMap((event) => ('pod' in event ? event.pod.spec?.containers?.[0]?.ports : []))
    expect(ports).toMatchObject([
      { name: 'http', containerPort: 8080 },
      { name: 'http', containerPort: 9090 },
    ])
  })
})
