import { LABEL_MANAGED_BY } from '../../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES } from '../../../shared/kubernetes/index.ts'
import { numbered } from '../../support/test-namespace.ts'
import type { Scenario } from '../scenario.ts'
import { openWeb, seconds } from '../world.ts'

const SERVICES = 40
/** Time for which nothing may be written. */
const QUIET_SECONDS = 5

export const restarts: readonly Scenario[] = [
  {
    id: 'deleted-after-restart',
    source: 'F1; kubernetes/kubernetes#85353, #112143, #125354',
    sentence:
      'The controller is restarted, and seconds later somebody deletes the slice of a Service: it comes back.',
    alone: true,
    prepare: openWeb(),
    async act(world) {
      await world.restart()
      await world.rest()
      for (const { metadata } of await world.slices('web')) {
        await world.client.delete(ENDPOINT_SLICES, { namespace: world.namespace, name: metadata?.name ?? '' })
      }
    },
    async assess(world) {
      const wait = await world.untilRight()
      if (wait.isMet) return { survived: true, observed: `back after ${seconds(wait.seconds)}` }
      const { length } = await world.slices('web')
      return { survived: false, observed: `${length} slices of 1 after ${seconds(wait.seconds)}` }
    },
  },
  {
    id: 'edited-while-down',
    source: 'kubernetes/kubernetes#85353, #103804',
    sentence:
      'While the controller is down, slices are emptied, relabelled and deleted: its start mends all.',
    alone: true,
    async prepare(world) {
      await world.addPods(numbered('web', 3))
      for (const name of ['emptied', 'released', 'deleted'])
        await world.addService(name, { selector: { app: 'web' } })
      await world.mustBeRight()
    },
    act: (world) =>
      world.restart(async () => {
        const { client, namespace } = world
        const nameOf = async (service: string): Promise<string> =>
          (await world.slices(service))[0]?.metadata?.name ?? ''
        await world.editSlice(await nameOf('emptied'), { endpoints: null })
        await world.editSlice(await nameOf('released'), {
          metadata: { labels: { [LABEL_MANAGED_BY]: null } },
        })
        await client.delete(ENDPOINT_SLICES, { namespace, name: await nameOf('deleted') })
      }),
    assess: (world) => world.rightInTheEnd(),
  },
  {
    id: 'removed-while-down',
    source: 'submariner-io/lighthouse#1416, #1430',
    sentence: 'A Service is deleted while the controller is down: its slices go.',
    alone: true,
    prepare: openWeb(),
    act: (world) => world.restart(() => world.removeService('web')),
    async assess(world) {
      const wait = await world.until(async () =>
        (await world.slices('web')).map(({ metadata }) => `${metadata?.name} is left`),
      )
      const { length } = await world.slices('web')
      if (wait.isMet) return { survived: true, observed: `gone after ${seconds(wait.seconds)}` }
      return { survived: false, observed: `${length} slices left after ${seconds(wait.seconds)}` }
    },
  },
  {
    id: 'killed-while-creating',
    source: 'kubernetes/kubernetes#93520, #93374',
    sentence: `The controller is killed while it makes the slices of ${SERVICES} new Services: after its start no slice is missing or there twice.`,
    alone: true,
    prepare: (world) => world.addPods(numbered('web', 20)),
    async act(world) {
      const names = numbered('web', SERVICES)
      await Promise.all(names.map((name) => world.addService(name, { selector: { app: 'web' } })))
      await world.until(async () => ((await world.slices()).length > 0 ? [] : ['no slice yet']))
      await world.restart()
    },
    async assess(world) {
      const verdict = await world.rightInTheEnd()
      const made = (await world.slices()).filter((slice) => slice.endpoints?.length)
      return { ...verdict, observed: `${verdict.observed}, ${made.length} slices for ${SERVICES} Services` }
    },
  },
  {
    id: 'quiet-restart',
    source: 'kubernetes/kubernetes#108231, argoproj/argo-events#760',
    sentence:
      'The controller is restarted in a cluster where everything is right: it writes nothing, and the first change is not held up.',
    alone: true,
    async prepare(world) {
      await world.addPods(numbered('web', 5))
      const names = numbered('web', 5 * SERVICES)
      await Promise.all(names.map((name) => world.addService(name, { selector: { app: 'web' } })))
      await world.mustBeRight()
    },
    act: (world) => world.subject.kill(),
    async assess(world) {
      const writes = await world.countWrites()
      await world.subject.start()
      const quiet = await world.until(
        async () => (writes.created + writes.updated + writes.deleted > 0 ? [] : ['nothing written']),
        QUIET_SECONDS,
      )
      await world.addService('first', { selector: { app: 'web' } })
      const first = await world.untilRight()
      const sum = writes.created + writes.updated + writes.deleted
      return {
        survived: !quiet.isMet && first.isMet,
        observed: quiet.isMet
          ? `${sum} slices written for nothing`
          : `nothing written for ${5 * SERVICES} Services, first change in ${seconds(first.seconds)}`,
      }
    },
  },
]
