import { isAssigned } from '../../../functions/relay/shard.ts'
import { type Figure, figure } from './figure.ts'
import { observe } from './observe.ts'
import { startRelayProcess, startServerProcess } from './processes.ts'

const SHARDS = 4
const CLUSTERS = Array.from({ length: 40 }, (_, index) => `cluster-${index}`)
const SHAPE = { services: 200, podsPerService: 5, podBytes: 2_000 }
/** Each Service changes once. */
const LOAD = { perSecond: 10, seconds: 20 }
const LOST = 1
const STANDBY_DELAY = 2

/** Measures how evenly relays divide clusters of one size; then one of them is killed beside its standby. */
export async function measureShards(): Promise<Figure[]> {
  const server = await startServerProcess({ shape: SHAPE, dead: [] })
  const ownedBy = (index: number): string[] =>
    CLUSTERS.filter((name) => isAssigned(name, { index, count: SHARDS }))
  const start = (index: number, settings = {}) =>
    startRelayProcess({
      clusters: CLUSTERS,
      address: server.address,
      reported: ownedBy(LOST),
      settings: { shard: `${index}/${SHARDS}`, ...settings },
    })
  const relays = Array.from({ length: SHARDS }, (_, index) => start(index))
  await Promise.all(relays.map((relay, index) => relay.following(ownedBy(index).length)))
  const before = await Promise.all(relays.map((relay) => relay.usage()))
  await Promise.all(CLUSTERS.map((cluster) => server.change({ cluster, ...LOAD })))
  const after = await Promise.all(relays.map((relay) => relay.usage()))
  const cpu = after.map(({ cpuSeconds }, index) => cpuSeconds - (before[index]?.cpuSeconds ?? 0))

  const standby = start(LOST, { relayStandby: true, standbyDelay: STANDBY_DELAY })
  await standby.following(ownedBy(LOST).length)
  await relays[LOST]?.kill()
  const servers = new Map(ownedBy(LOST).map((name) => [name, server]))
  const settleMs = 3_000 * STANDBY_DELAY
  const taken = await observe({ servers, relay: standby, ...LOAD, settleMs })
  await Promise.all([standby, ...relays.filter((_, index) => index !== LOST)].map((relay) => relay.stop()))
  server.stop()
  return [
    figure(
      'clusters of the busiest relay, to the mean',
      busiest(relays.map((_, index) => ownedBy(index).length)),
      '×',
      { below: 1.51 },
    ),
    figure('its processor time', busiest(cpu), '×'),
    figure('memory of the largest', busiest(after.map(({ rssMb }) => rssMb)), '×'),
    figure('change to key by the standby of the lost one, p50', taken.percentile(0.5), 'ms'),
    figure('the same, p99', taken.percentile(0.99), 'ms'),
    figure('changes in its clusters without a key', taken.open, '', { below: 1 }),
  ]
}

function busiest(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.max(...values) / mean
}
