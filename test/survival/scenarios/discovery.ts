import { SELECTOR_ANNOTATION } from '../../support/world/index.ts'
import { type FoundClusters, openFoundClusters } from '../found-clusters.ts'
import type { Scenario } from '../scenario.ts'
import { seconds, type World } from '../world.ts'

export const discovery: readonly Scenario[] = [oneNameTwice()]

/** Plays beside the subject, as only the deployed relay discovers clusters. */
function oneNameTwice(): Scenario {
  const opened = new WeakMap<World, FoundClusters>()
  const clustersOf = (world: World): FoundClusters => {
    const clusters = opened.get(world)
    if (clusters === undefined) throw new Error('it was not prepared')
    return clusters
  }
  const addService = (world: World, name: string): Promise<void> =>
    world.addService(name, { selector: null, annotations: { [SELECTOR_ANNOTATION]: 'app=web' } })
  const untilSent = async (world: World, ...keys: readonly string[]) =>
    world.until(async () => {
      const sent = await clustersOf(world).keysOf(world.namespace)
      return keys.filter((key) => !sent.has(key)).map((key) => `${key} was not sent`)
    })
  return {
    id: 'one-name-twice',
    source: 'review of 2026-11',
    sentence:
      'Of two clusters that are found by a tag, another region gets one of the same alias, and the relay is restarted: this name is left out, and the other cluster is followed. (The deployed relay, with stand-ins of EKS and SQS.)',
    cannot: { 'kube-controller-manager': 'it follows one cluster' },
    async prepare(world) {
      const clusters = await openFoundClusters(world.server)
      opened.set(world, clusters)
      clusters.add('eu-west-1', 'twin')
      clusters.add('eu-west-1', 'single')
      await addService(world, 'before')
      await clusters.startRelay()
      const { isMet, problems } = await untilSent(world, 'twin/before', 'single/before')
      if (!isMet) throw new Error(`could not be prepared: ${problems[0]}`)
    },
    async act(world) {
      const clusters = clustersOf(world)
      clusters.add('us-east-1', 'twin')
      await clusters.startRelay()
      await addService(world, 'after')
    },
    async assess(world) {
      const clusters = clustersOf(world)
      const wait = await untilSent(world, 'single/after')
      await world.rest()
      const isTwinSent = (await clusters.keysOf(world.namespace)).has('twin/after')
      const { isRelayRunning } = clusters
      const after = seconds(wait.seconds)
      const single = wait.isMet
        ? `the other is followed after ${after}`
        : `no other is followed after ${after}`
      const twin = isTwinSent ? 'the twin is followed' : 'the twin is left out'
      return {
        survived: wait.isMet && !isTwinSent && isRelayRunning,
        observed: `${single}, ${twin}${isRelayRunning ? '' : ', the relay has ended'}`,
      }
    },
    end: async (world) => opened.get(world)?.close(),
  }
}
