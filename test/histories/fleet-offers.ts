/** What the clusters of a set export in a history, and the properties by which exports select them. */
import type { EndpointSlice, Service } from '../../shared/endpointslice/index.ts'
import type { ClusterSelector, ServiceExport } from '../../shared/fleet/index.ts'
import { type Properties, readProperties } from './cluster-selection.ts'
import { EXPORTS, NAMESPACES_OF_HISTORY, placeOf, readView, textOf } from './objects.ts'
import type { HistoryCluster, Outage, World } from './world.ts'

/** Service that a cluster exports, with its slices. */
export interface Offer {
  readonly cluster: string
  readonly since: string
  /** Ids of the clusters that it is for, beside its own; absent: all. */
  readonly to?: readonly string[]
  /** Absent: it prefers no cluster. */
  readonly selectors?: readonly ClusterSelector[]
  readonly service: Service
  readonly slices: readonly EndpointSlice[]
}

/** Annotation of an export for some clusters; a history draws no patterns. */
export const EXPORT_TO = 'sliceflow.dev/export-to'

/** Reports whether a cluster imports what another one, or it itself, exports. */
export const isFor = ({ cluster, to }: Offer, home: string): boolean =>
  to === undefined || cluster === home || to.includes(home)

/** Offers of one cluster by the text of their place. */
export type Offers = ReadonlyMap<string, Offer>

/**
 * Reads what a cluster exports now. An export without a Service offers nothing, nor does one of a headless
 * Service that selects clusters.
 */
async function readOffers({ name, client }: HistoryCluster): Promise<Offers> {
  const { services, slices } = await readView(client)
  const exports: ServiceExport[] = []
  for (const namespace of NAMESPACES_OF_HISTORY)
    exports.push(...(await client.list(EXPORTS, { namespace })).items)
  return new Map(
    exports.flatMap((one): [string, Offer][] => {
      const key = textOf(placeOf(one))
      const service = services.find((candidate) => textOf(placeOf(candidate)) === key)
      const selectors = one.spec?.clusterSelectors ?? []
      if (service === undefined || (selectors.length > 0 && service.spec?.clusterIP === 'None')) return []
      const since = String(one.metadata?.creationTimestamp)
      const to = one.metadata?.annotations?.[EXPORT_TO]?.split(',')
      const optional = { ...(to && { to }), ...(selectors.length > 0 && { selectors }) }
      return [[key, { cluster: name, since, ...optional, service, slices: slicesOf(key, slices) }]]
    }),
  )
}

const slicesOf = (key: string, slices: readonly EndpointSlice[]): EndpointSlice[] =>
  slices.filter(
    ({ metadata }) => `${metadata?.namespace}/${metadata?.labels?.['kubernetes.io/service-name']}` === key,
  )

/** A cluster set at a moment. What a cluster that cannot be read offers is as it was before its outage. */
export interface SetOffers {
  readonly readable: readonly Offers[]
  readonly frozen: readonly Offers[]
  /** Properties of every cluster. */
  readonly properties: ReadonlyMap<string, Properties>
  /** Absent where every cluster can be read. */
  readonly outage?: Outage | undefined
}

export async function readSet({ clusters }: Pick<World, 'clusters'>): Promise<SetOffers> {
  const reached = clusters.filter(({ outage }) => outage === undefined)
  const out = clusters.findIndex(({ outage }) => outage !== undefined)
  const outage = clusters[out]?.outage
  const properties = clusters.map(async ({ name, client }) => [name, await readProperties(client)] as const)
  return {
    readable: await Promise.all(reached.map(readOffers)),
    frozen: [outage?.set?.readable[out] ?? []].flat(),
    properties: new Map(await Promise.all(properties)),
    outage,
  }
}
