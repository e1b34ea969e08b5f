import { FLEET_MANAGED_BY } from '../../shared/changes/index.ts'
import { LABEL_MANAGED_BY } from '../../shared/endpointslice/index.ts'
import { readSlices, snapshotSlices } from '../support/world/index.ts'
import { MANAGED_BY, NAMESPACES_OF_HISTORY } from './objects.ts'
import { type Operation, operation } from './operation.ts'
import { type Role, RUN_SETTINGS, type Runs } from './runs.ts'
import { untilAnswers } from './world.ts'

const onRole = (
  name: string,
  weight: number,
  targets: (runs: Runs) => readonly Role[],
  act: (role: Role, runs: Runs) => Promise<void>,
): Operation =>
  operation({
    ...{ name, weight, startsAnew: true },
    targets: ({ world }) => targets(world.runs),
    async act(role, { world }) {
      await act(role, world.runs)
      return role
    },
  })

/** All of the roles while none of them runs. */
const starting =
  (roles: readonly Role[]) =>
  ({ running }: Runs): readonly Role[] =>
    roles.some((role) => running.includes(role)) ? [] : roles

/** Operations on the processes of Sliceflow. */
const RUN_OPERATIONS: readonly Operation[] = [
  onRole(
    'run-kill',
    2,
    ({ running }) => running,
    (role, runs) => runs.end(role, 'SIGKILL'),
  ),
  onRole(
    'run-stop',
    1,
    ({ running }) => running,
    (role, runs) => runs.end(role, 'SIGTERM'),
  ),
  onRole('run-start', 5, starting(['first']), (role, runs) => runs.start(role)),
  onRole('run-start-second', 1, starting(['second', 'standby']), (role, runs) => runs.start(role)),
  operation({
    name: 'run-settings',
    weight: 2,
    startsAnew: true,
    targets: ({ world }) => {
      // What was refused during an outage comes back only once its cluster can be read.
      const isOut = world.scene.fleet === true && world.clusters.some(({ outage }) => outage !== undefined)
      const refused = isOut ? [world.runs.settings.refusedAddresses] : RUN_SETTINGS.refusedAddresses
      return RUN_SETTINGS.maxEndpointsPerSlice.flatMap((maxEndpointsPerSlice) =>
        refused.map((refusedAddresses) => ({ maxEndpointsPerSlice, refusedAddresses })),
      )
    },
    async act(settings, { world, random }) {
      const roles = world.runs.running
      const signal = random.chance(0.5) ? 'SIGKILL' : 'SIGTERM'
      for (const role of roles) await world.runs.end(role, signal)
      world.runs.set(settings)
      for (const role of roles) await world.runs.start(role)
      return `${JSON.stringify(settings)} for ${roles.join(', ') || 'the next'}`
    },
  }),
]

/** Operations on the API servers. */
const SERVER_OPERATIONS: readonly Operation[] = [
  operation({
    name: 'server-back-up',
    weight: 1,
    startsAnew: true,
    targets: ({ cluster }) => (cluster.outage === undefined ? [cluster] : []),
    async act(cluster) {
      await cluster.server.backUp()
      await untilAnswers(cluster)
      cluster.hasBackup = true
      return cluster.name
    },
  }),
  operation({
    name: 'server-restore',
    weight: 1,
    startsAnew: true,
    // The backup may lack the part of a cluster that cannot be read, and it cannot be restored.
    targets: ({ cluster, world }) => {
      const related = world.scene.fleet === true ? world.clusters : [cluster]
      return cluster.hasBackup && related.every(({ outage }) => outage === undefined) ? [cluster] : []
    },
    async act(cluster) {
      await cluster.server.restore()
      await untilAnswers(cluster)
      // Slices of other owners are now those of the backup.
      const slices = await readSlices(cluster.client, NAMESPACES_OF_HISTORY)
      const ours: readonly (string | undefined)[] = [MANAGED_BY, FLEET_MANAGED_BY]
      cluster.foreign = snapshotSlices(
        slices.filter(({ metadata }) => !ours.includes(metadata?.labels?.[LABEL_MANAGED_BY])),
      )
      return cluster.name
    },
  }),
]

export const PROCESS_OPERATIONS: readonly Operation[] = [...RUN_OPERATIONS, ...SERVER_OPERATIONS]
