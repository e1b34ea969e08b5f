import { expect, it } from 'vitest'
import type { EndpointSlice } from '../../shared/endpointslice/index.ts'
import type { SettingsInput } from '../../shared/settings/index.ts'
import type { Relay } from './index.ts'
import { createQueue, NODE, never, placed, service, useRelays, writeSlices } from './relay.fixtures.ts'

const SHARDS = ['0/4', '1/4', '2/4', '3/4']
const CLUSTERS = Array.from({ length: 12 }, (_, index) => `cluster-${index}`)

const scene = useRelays()

/** A relay of one shard, with a queue of its own that shows what it sends. */
interface Started {
  readonly relay: Relay
  readonly sent: () => string[]
}

/** Starts a relay for each shard, as `relayShards` does. */
function startAll(settings: SettingsInput): Started[] {
  return SHARDS.map((shard) => {
    const { senders, sent } = createQueue()
    const relay = scene.start(CLUSTERS, { shard, stateDir: '', ...settings }, {}, { senders })
    return { relay, sent: () => [...new Set(sent)].filter((text) => text.startsWith('live')).toSorted() }
  })
}

const keysOf = ({ relay }: Started): string[] =>
  relay.clusters.map((name) => `live ${name}/shop/web`).toSorted()

it('the clusters of a shard that is lost are taken over by its standby, and all others go on', async () => {
  const slices = new Map<string, EndpointSlice[]>()
  for (const name of CLUSTERS) {
    scene.cluster(name).put('nodes', NODE)
    scene.cluster(name).put('services', service('web'))
    scene.cluster(name).put('pods', placed('web', '10.0.0.1'))
    slices.set(name, writeSlices(scene.cluster(name), service('web'), '10.0.0.1'))
  }
  const active = startAll({})
  const standbys = startAll({ relayStandby: true, standbyDelay: 4 })
  expect(active.flatMap(keysOf).toSorted()).toEqual(
    CLUSTERS.map((name) => `live ${name}/shop/web`).toSorted(),
  )
  await Promise.all([...active, ...standbys].map(({ relay }) => relay.synced))
  // A watch does not bring what happened before it was opened.
  for (const name of CLUSTERS) await scene.watching(name, 8)

  const [lost, ...others] = active
  const [takingOver, ...idle] = standbys
  if (lost === undefined || takingOver === undefined) throw new Error('there are four shards')
  const lostKeys = keysOf(lost)
  expect(lostKeys.length).toBeGreaterThan(0)
  await lost.relay.stop(never)
  for (const name of CLUSTERS) scene.cluster(name).put('pods', placed('web', '10.0.0.9'))
  // The functions of the others do what they are sent, in less than the delay of a standby.
  const workOff = async (each: Started): Promise<void> => {
    await expect.poll(each.sent).toEqual(keysOf(each))
    for (const name of each.relay.clusters)
      writeSlices(scene.cluster(name), service('web'), '10.0.0.9', slices.get(name))
  }
  await Promise.all(others.map(workOff))
  await expect.poll(takingOver.sent).toEqual(lostKeys)
  expect(idle.flatMap(({ sent }) => sent())).toEqual([])
})
