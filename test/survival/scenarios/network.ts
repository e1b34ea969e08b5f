import { NAMESPACES } from '../../../shared/kubernetes/index.ts'
import type { Scenario } from '../scenario.ts'
import { openWeb } from '../world.ts'

const CUTS = 10
/**
 * A watch is dead that is silent for longer than bookmarks take, a minute; then a first call may wait for an
 * answer on a connection that is silent, too.
 */
const SILENCE_SECONDS = 120
const RECONNECT_SECONDS = 20

export const network: readonly Scenario[] = [
  {
    id: 'connections-cut',
    source: 'kubernetes-client/javascript#1933, #795',
    sentence: `Every connection of the controller is cut ${CUTS} times while pods change: nothing is missed.`,
    alone: true,
    prepare: openWeb(),
    async act({ namespace, network: door, pods, until }) {
      for (let cut = 0; cut < CUTS; cut++) {
        const before = door.connections
        door.cutAll()
        await pods.setReady({ namespace, name: 'web-1' }, cut % 2 === 1)
        await until(
          async () => (door.connections > before ? [] : ['it has not come back']),
          RECONNECT_SECONDS,
        )
      }
      await pods.finish({ namespace, name: 'web-2' })
    },
    assess: (world) => world.rightInTheEnd(60),
  },
  {
    id: 'history-gone',
    source: 'fabric8io/kubernetes-client#7896, kubernetes/kubernetes#137089',
    sentence:
      'The controller is cut off, Services and pods change, the server forgets its history and is restarted: then everything becomes right.',
    alone: true,
    async prepare(world) {
      await openWeb()(world)
      await world.addService('removed', { selector: { app: 'web' } })
      await world.mustBeRight()
    },
    async act(world) {
      const { network: door, server, namespace } = world
      door.setOpen(false)
      door.cutAll()
      await world.addService('added', { selector: { app: 'web' } })
      await world.removeService('removed')
      await world.pods.finish({ namespace, name: 'web-1' })
      const { metadata } = await world.client.list(NAMESPACES)
      await server.compact(metadata.resourceVersion)
      await server.restart()
      door.setOpen(true)
    },
    assess: (world) => world.rightInTheEnd(60),
  },
  {
    id: 'silent-connection',
    source: 'kubernetes-client/javascript#958, #364, #596, #1496',
    sentence: `The controller’s connections go silent without an end or an error, and a pod becomes unready: it is noticed within ${SILENCE_SECONDS} s.`,
    alone: true,
    prepare: openWeb(),
    async act({ network: door, pods, namespace }) {
      door.silenceOpen()
      await pods.setReady({ namespace, name: 'web-1' }, false)
    },
    assess: (world) => world.rightInTheEnd(SILENCE_SECONDS),
  },
]
