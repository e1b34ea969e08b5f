import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { createRelayMetrics } from './index.ts'

async function linesOf(registry: Registry): Promise<string[]> {
  const text = await registry.metrics()
  return text.split('\n').map((line) => line.replace('sliceflow_relay_', ''))
}

describe('the metrics of a relay', () => {
  it('tell how its watches and lanes are at the time they are read', async () => {
    const registry = new Registry()
    const metrics = createRelayMetrics(registry)
    let seconds = 1
    metrics.readFrom(() => [
      {
        cluster: 'a',
        synced: true,
        watches: [
          {
            kind: 'pods',
            failing: false,
            objects: 7,
            secondsSinceLastByte: seconds,
            secondsSinceLastBookmark: 30,
          },
          { kind: 'nodes', failing: true, objects: 0 },
        ],
        lanes: [{ lane: 'live', pending: 4, oldestSeconds: 2.5 }],
      },
    ])
    await linesOf(registry)
    seconds = 5
    const lines = await linesOf(registry)
    expect(lines).toEqual(
      expect.arrayContaining([
        'cluster_synced{cluster="a"} 1',
        'watch_failing{cluster="a",kind="nodes"} 1',
        'watch_last_byte_seconds{cluster="a",kind="pods"} 5',
        'watch_last_bookmark_seconds{cluster="a",kind="pods"} 30',
        'objects{cluster="a",kind="pods"} 7',
        'keys_pending{cluster="a",lane="live"} 4',
        'oldest_pending_key_seconds{cluster="a",lane="live"} 2.5',
      ]),
    )
    expect(lines.filter((line) => line.startsWith('watch_last_byte_seconds{'))).toHaveLength(1)
  })

  it('tell what is not so by 0, what is not known not at all, and nothing before there is a relay', async () => {
    const registry = new Registry()
    const metrics = createRelayMetrics(registry)
    const samples = async () => (await linesOf(registry)).filter((line) => line.includes('{'))
    expect(await samples()).toEqual([])
    const watches = [{ kind: 'pods', failing: false, objects: 0 }]
    metrics.readFrom(() => [{ cluster: 'a', synced: false, watches, lanes: [] }])
    expect(await samples()).toEqual([
      'cluster_synced{cluster="a"} 0',
      'watch_failing{cluster="a",kind="pods"} 0',
      'objects{cluster="a",kind="pods"} 0',
    ])
  })

  it('count paused Services, and say for how long the first of them has been', async () => {
    const registry = new Registry()
    const metrics = createRelayMetrics(registry)
    const since = new Date(Date.now() - 90_000).toISOString()
    const common = { watches: [], lanes: [] }
    metrics.readFrom(() => [
      { cluster: 'a', paused: [undefined, new Date().toISOString(), since], ...common },
      { cluster: 'b', paused: [undefined], ...common },
      { cluster: 'c', paused: [], ...common },
    ])
    const lines = await linesOf(registry)
    expect(lines).toEqual(
      expect.arrayContaining([
        ...['paused_services{cluster="a"} 3', 'paused_services{cluster="b"} 1'],
        ...['paused_services{cluster="c"} 0', 'longest_pause_seconds{cluster="b"} 0'],
        'longest_pause_seconds{cluster="c"} 0',
      ]),
    )
    const [seconds] = lines.flatMap(
      (line) => /^longest_pause_seconds\{cluster="a"\} (.+)/.exec(line)?.[1] ?? [],
    )
    expect(Number(seconds)).toBeGreaterThanOrEqual(90)
  })

  it('forget a cluster that the relay no longer follows', async () => {
    const registry = new Registry()
    const metrics = createRelayMetrics(registry)
    const readings = [{ cluster: 'a', synced: true, watches: [], lanes: [] }]
    metrics.readFrom(() => readings)
    await linesOf(registry)
    readings.pop()
    expect((await linesOf(registry)).join()).not.toContain('cluster="a"')
  })

  it('tell what each of their sources does', async () => {
    const registry = new Registry()
    const metrics = createRelayMetrics(registry)
    const watches = [{ kind: 'fleet-slices', failing: true, objects: 3 }]
    metrics.readFrom(() => [{ cluster: 'a', synced: true, watches: [], lanes: [] }])
    metrics.readFrom(() => [{ cluster: 'a', watches, lanes: [] }])
    expect((await linesOf(registry)).filter((line) => line.includes('{'))).toEqual([
      'cluster_synced{cluster="a"} 1',
      'watch_failing{cluster="a",kind="fleet-slices"} 1',
      'objects{cluster="a",kind="fleet-slices"} 3',
    ])
  })

  it('count', async () => {
    const registry = new Registry()
    const metrics = createRelayMetrics(registry)
    metrics.count('relists', { cluster: 'a', kind: 'pods' })
    metrics.count('keys_sent', { cluster: 'a', lane: 'sweep' }, 10)
    expect(await linesOf(registry)).toEqual(
      expect.arrayContaining([
        'relists_total{cluster="a",kind="pods"} 1',
        'keys_sent_total{cluster="a",lane="sweep"} 10',
      ]),
    )
  })
})
