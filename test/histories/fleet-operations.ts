import { SERVICES } from '../../shared/kubernetes/index.ts'
import { exportOf, SELECTION_OPERATIONS } from './cluster-selection.ts'
import { EXPORT_TO, readSet } from './fleet-offers.ts'
import { EXPORTS, PLACES, placeOf, SERVICE_NAMES } from './objects.ts'
import { type Occasion, type Operation, onObject, operation } from './operation.ts'
import type { Outage } from './world.ts'

const derived = ({ view }: Occasion): Occasion['view']['derived'] => view.derived

/** Operations on the exports of a cluster set, and on properties by which they select clusters. */
export const FLEET_OPERATIONS: readonly Operation[] = [
  ...SELECTION_OPERATIONS,
  onObject(
    'export-create',
    10,
    ({ view }) =>
      view.services.filter((service) => SERVICE_NAMES.some((name) => name === placeOf(service).name)),
    (metadata, { cluster }) => cluster.client.create(EXPORTS, exportOf(metadata, null)),
  ),
  onObject(
    'export-delete',
    3,
    () => PLACES,
    (place, { cluster }) => cluster.client.delete(EXPORTS, place),
  ),
  onObject(
    'export-to',
    4,
    () => PLACES,
    async (place, { cluster, world, random }) => {
      const others = random.shuffled(world.clusters).map(({ name }) => name)
      const some = random.pick([null, others.slice(0, 1), others.slice(0, 2)])?.join() ?? null
      await cluster.client.patch(EXPORTS, place, { metadata: { annotations: { [EXPORT_TO]: some } } })
      return `${some}`
    },
  ),
  onObject('derived-delete', 1, derived, (place, { cluster }) => cluster.client.delete(SERVICES, place)),
  onObject('derived-edit', 1, derived, (place, { cluster }) => {
    const spec = { ports: [{ name: 'other', port: 1234 }], sessionAffinity: 'ClientIP' }
    return cluster.client.patch(SERVICES, place, { spec })
  }),
]

const OUTAGES: readonly Outage['kind'][] = ['down', '503', '403', '403 of exports']

/** Operations on the ways by which Sliceflow reaches the API servers. */
export const OUTAGE_OPERATIONS: readonly Operation[] = [
  operation({
    name: 'outage-begin',
    weight: 12,
    startsAnew: true,
    // Only what was right before is known to stay as it was.
    targets: ({ world }) =>
      world.isQuiet && world.clusters.length > 1 && world.clusters.every(({ outage }) => outage === undefined)
        ? OUTAGES.filter((kind) => kind !== '403 of exports' || world.scene.fleet === true)
        : [],
    async act(kind, { cluster, world }) {
      const set = world.scene.fleet === true ? await readSet(world) : undefined
      cluster.outage = { kind, ...(set && { set }) }
      cluster.door.decide(({ url }) => {
        if (kind === '403 of exports' && !url.includes('/serviceexports')) return undefined
        if (kind === 'down') return { kind: 'cut-request', bytes: 0 }
        return { kind: 'answer', status: Number.parseInt(kind, 10) }
      })
      cluster.door.cutOpen()
      return `${cluster.name} ${kind}`
    },
  }),
  operation({
    name: 'outage-end',
    weight: 6,
    startsAnew: true,
    targets: ({ world }) => world.clusters.filter(({ outage }) => outage !== undefined),
    async act(cluster) {
      cluster.door.decide(() => undefined)
      cluster.outage = undefined
      return cluster.name
    },
  }),
]
