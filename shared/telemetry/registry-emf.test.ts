import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { beforeEach, describe, expect, it } from 'vitest'
import { createEmfMetrics, createRegistryEmf, type RegistryEmfOptions } from './index.ts'
import { NAMED_WRITES } from './registry-emf.ts'

describe('a registry in the embedded metric format', () => {
  let registry: Registry
  let lines: Record<string, unknown>[]

  beforeEach(() => {
    registry = new Registry()
    lines = []
  })

  function writer(options: Partial<RegistryEmfOptions> = {}) {
    const metrics = createEmfMetrics({ write: (line) => lines.push(JSON.parse(line)), now: () => 1000 })
    return createRegistryEmf({ registry, metrics, ...options })
  }
  const gauge = (name: string, labelNames: string[] = []) =>
    new Gauge({ name, help: name, labelNames, registers: [registry] })
  const counter = (name: string, labelNames: string[] = []) =>
    new Counter({ name, help: name, labelNames, registers: [registry] })

  it('has a line for each set of dimension values and one without dimensions', async () => {
    const oldest = gauge('sliceflow_relay_oldest_pending_key_seconds', ['cluster', 'lane'])
    oldest.set({ cluster: 'a', lane: 'live' }, 1.5)
    oldest.set({ cluster: 'b', lane: 'live' }, 4)
    await writer().write()
    expect(lines.map(({ Cluster, Lane, RelayOldestPendingKeySeconds: age }) => [Cluster, Lane, age])).toEqual(
      [
        ['a', 'live', 1.5],
        [undefined, undefined, 4],
        ['b', 'live', 4],
      ],
    )
    expect(lines[0]?._aws).toMatchObject({
      CloudWatchMetrics: [
        {
          Namespace: 'Sliceflow',
          Dimensions: [['Cluster', 'Lane']],
          Metrics: [{ Name: 'RelayOldestPendingKeySeconds', Unit: 'Seconds' }],
        },
      ],
    })
  })

  it('folds other labels: gauges to the largest, counters to the sum', async () => {
    const age = gauge('age_seconds', ['cluster', 'kind'])
    age.set({ cluster: 'a', kind: 'pods' }, 3)
    age.set({ cluster: 'a', kind: 'nodes' }, 7)
    const relists = counter('relists_total', ['cluster', 'kind'])
    relists.inc({ cluster: 'a', kind: 'pods' }, 2)
    relists.inc({ cluster: 'a', kind: 'nodes' }, 1)
    await writer().write()
    expect(lines).toMatchObject([
      { Cluster: 'a', AgeSeconds: 7, Relists: 3 },
      { AgeSeconds: 7, Relists: 3 },
    ])
  })

  it('has of a counter what was added since the last time', async () => {
    const sent = counter('sent_total')
    const emf = writer()
    sent.inc(5)
    await emf.write()
    sent.inc(2)
    await emf.write()
    await emf.write()
    sent.reset()
    sent.inc(1)
    await emf.write()
    expect(lines.map(({ Sent }) => Sent)).toEqual([5, 2, 0, 1])
  })

  it('has nothing of a counter that was reported as 0 and never counted', async () => {
    const rejected = counter('rejected_total', ['cluster'])
    rejected.inc({ cluster: 'a' }, 0)
    rejected.inc({ cluster: 'b' }, 2)
    const emf = writer()
    await emf.write()
    expect(lines).toMatchObject([{ Cluster: 'b', Rejected: 2 }, { Rejected: 2 }])
    rejected.inc({ cluster: 'a' }, 3)
    await emf.write()
    expect(lines.slice(2)).toMatchObject([{ Cluster: 'a', Rejected: 3 }, { Rejected: 3 }, { Cluster: 'b' }])
  })

  it('has of each counter of a label what was added to it, of a new one all', async () => {
    const sent = counter('sent_total', ['cluster'])
    const emf = writer()
    sent.inc({ cluster: 'a' }, 5)
    await emf.write()
    lines.length = 0
    sent.inc({ cluster: 'a' }, 1)
    sent.inc({ cluster: 'b' }, 7)
    await emf.write()
    expect(lines.map(({ Cluster, Sent }) => [Cluster, Sent])).toEqual([
      ['a', 1],
      [undefined, 8],
      ['b', 7],
    ])
  })

  it('begins its names as it is reported, and gives each its unit', async () => {
    counter('sliceflow_waited_seconds').inc(2)
    gauge('waiting').set(3)
    await writer({ prefix: 'Relay' }).write()
    expect(lines).toMatchObject([
      {
        _aws: {
          CloudWatchMetrics: [
            {
              Metrics: [
                { Name: 'RelayWaitedSeconds', Unit: 'Seconds' },
                { Name: 'RelayWaiting', Unit: 'Count' },
              ],
            },
          ],
        },
        RelayWaitedSeconds: 2,
        RelayWaiting: 3,
      },
    ])
  })

  it('has count and sum of a histogram', async () => {
    const registers = [registry]
    const histogram = new Histogram({ name: 'took_seconds', help: 'took', buckets: [1, 2], registers })
    histogram.observe(1)
    histogram.observe(4)
    await writer().write()
    expect(lines).toEqual([{ _aws: expect.anything(), TookSecondsCount: 2, TookSecondsSum: 5 }])
  })

  it('folds a label of too many values, so that a large fleet is no large bill', async () => {
    const pending = gauge('pending', ['cluster', 'lane'])
    for (let cluster = 0; cluster < 3; cluster++)
      pending.set({ cluster: `c${cluster}`, lane: 'live' }, cluster)
    await writer({ maximumValues: 2 }).write()
    expect(lines).toMatchObject([{ Lane: 'live', Pending: 2 }, { Pending: 2 }])
    lines.length = 0
    await writer({ maximumValues: 3 }).write()
    expect(lines.map(({ Cluster }) => Cluster)).toEqual(['c0', undefined, 'c1', 'c2'])
  })

  it('names what is wrong of a label that is folded, and for some time after that', async () => {
    const [names, clusters] = [['cluster', 'lane'], Array.from({ length: 30 }, (_, index) => `c${index}`)]
    const pending = gauge('sliceflow_relay_pending_seconds', names)
    const rejected = counter('sliceflow_relay_rejected_total', names)
    for (const cluster of clusters) {
      pending.set({ cluster, lane: 'live' }, 1)
      rejected.inc({ cluster, lane: 'live' }, 1)
    }
    const named = { RelayPendingSeconds: 5, RelayRejected: 1 }
    const emf = writer({ named, prefix: 'Standby', maximumValues: 0 })
    const written = async () => {
      await emf.write()
      return lines
        .splice(0)
        .map(({ Cluster, Lane, StandbyRelayPendingSeconds: age, StandbyRelayRejected: rejected }) =>
          [Cluster, Lane, age, rejected].filter((value) => value !== undefined).join(' '),
        )
    }
    expect(await written()).toEqual(['1 30', ...clusters.map((cluster) => `${cluster} live 1`)])
    for (let write = 1; write < NAMED_WRITES; write++) await written()
    pending.set({ cluster: 'c7', lane: 'live' }, 5)
    expect(await written()).toContain('c7 live 5 0')
    pending.set({ cluster: 'c7', lane: 'live' }, 2)
    for (let write = 0; write < NAMED_WRITES; write++) expect(await written()).toEqual(['2 0', 'c7 live 2'])
    expect(await written()).toEqual(['2 0'])
  })

  it('keeps a label of 20 values and folds one of 21, unless it is reported otherwise', async () => {
    const pending = gauge('pending', ['cluster'])
    for (let cluster = 0; cluster < 20; cluster++) pending.set({ cluster: `c${cluster}` }, cluster)
    await writer().write()
    expect(lines).toHaveLength(21)
    lines.length = 0
    pending.set({ cluster: 'c20' }, 20)
    await writer().write()
    expect(lines).toEqual([{ _aws: expect.anything(), Pending: 20 }])
  })

  it('takes words out of a name only where Prometheus puts them', async () => {
    const registers = [registry]
    gauge('total_sliceflow_seconds_left').set(1)
    gauge('keys_total_left').set(2)
    new Histogram({ name: 'row_sum_left', help: 'rows', buckets: [1], registers }).observe(3)
    await writer().write()
    expect(lines).toMatchObject([
      { TotalSliceflowSecondsLeft: 1, KeysTotalLeft: 2, RowSumLeftCount: 1, RowSumLeftSum: 3 },
    ])
    expect(JSON.stringify(lines)).not.toMatch(/Bucket|"Seconds"/)
  })
})
