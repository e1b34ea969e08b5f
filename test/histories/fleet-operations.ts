import { SERVICES } from '../../shared/kubernetes/index.ts'
import { SELECTION_OPERATIONS } from './cluster-selection.ts'
import { EXPORT_TO, readSet } from './fleet-offers.ts'
import { EXPORTS, PLACES, placeOf, SERVICE_NAMES, textOf } from './objects.ts'
import { type Operation, operation } from './operation.ts'
import type { Outage } from './world.ts'

/** Operations on the exports of a cluster set, and on properties by which they select clusters. */
export const FLEET_OPERATIONS: readonly Operation[] = [
  ...SELECTION_OPERATIONS,
  operation({
    name: 'export-create',
    weight: 10,
    targets: ({ view }) =>
      view.services.filter((service) => SERVICE_NAMES.some((name) => name === placeOf(service).name)),
    async act(service, { cluster }) {
      await cluster.client.create(EXPORTS, {
        apiVersion: 'multicluster.x-k8s.io/v1beta1',
        kind: 'ServiceExport',
        metadata: placeOf(service),
      })
      return textOf(placeOf(service))
    },
  }),
  operation({
    name: 'export-delete',
    weight: 3,
    targets: () => PLACES,
    async act(place, { cluster }) {
      await cluster.client.delete(EXPORTS, place)
      return textOf(place)
    },
  }),
  operation({
    name: 'export-to',
    weight: 4,
    targets: () => PLACES,
    async act(place, { cluster, world, random }) {
      const others = random.shuffled(world.clusters).map(({ name }) => name)
      const some = random.pick([null, others.slice(0, 1), others.slice(0, 2)])?.join() ?? null
      await cluster.client.patch(EXPORTS, place, { metadata: { annotations: { [EXPORT_TO]: some } } })
      return `${textOf(place)} ${some}`
    },
  }),
  operation({
    name: 'derived-delete',
    weight: 1,
    targets: ({ view }) => view.derived,
    async act(service, { cluster }) {
      await cluster.client.delete(SERVICES, placeOf(service))
      return textOf(placeOf(service))
    },
  }),
  operation({
    name: 'derived-edit',
    weight: 1,
    targets: ({ view }) => view.derived,
    async act(service, { cluster }) {
      const spec = { ports: [{ name: 'other', port: 1234 }], sessionAffinity: 'ClientIP' }
      await cluster.client.patch(SERVICES, placeOf(service), { spec })
      return textOf(placeOf(service))
    },
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
