/**
 * Clusters that exports select by their properties (KEP-5939), in a history: what is drawn, what can happen,
 * and which clusters are selected, computed by code that shares nothing with shared/fleet but the form of its
 * objects.
 */
import type { Service } from '../../shared/endpointslice/index.ts'
import { type ClusterSelector, clusterProperties, type ServiceExport } from '../../shared/fleet/index.ts'
import { type ApiClient, ConflictError, NotFoundError, SERVICES } from '../../shared/kubernetes/index.ts'
import { defineProperties } from '../end-to-end/fleet/fleet-clusters.ts'
import type { Random } from '../support/random.ts'
import { drawService, EXPORTS, PLACES, type Place, placeOf, textOf } from './objects.ts'
import { type Operation, onObject, operation } from './operation.ts'

const PROPERTIES = clusterProperties('v1')
const ID = 'cluster.clusterset.k8s.io'
const REGION = 'region.topology.k8s.io'
const TIER = 'tier.example.org'
const OWN_VALUE = '@SameAsImporter@'

/** Properties of one cluster. */
export type Properties = Readonly<Record<string, string>>

/** Has a cluster serve ClusterProperties, with one that names it, and its region. */
export async function openProperties(client: ApiClient, cluster: string, region: string): Promise<void> {
  await defineProperties(client)
  await setProperty(client, ID, cluster)
  await setProperty(client, REGION, region)
}

async function setProperty(client: ApiClient, name: string, value: string | null): Promise<void> {
  if (value === null) return await client.delete(PROPERTIES, { name })
  const object = {
    apiVersion: 'about.k8s.io/v1',
    kind: 'ClusterProperty',
    metadata: { name },
    spec: { value },
  }
  await client.patch(PROPERTIES, { name }, { spec: { value } }).catch(async (error: unknown) => {
    if (!(error instanceof NotFoundError)) throw error
    await client.create(PROPERTIES, object)
  })
}

export async function readProperties(client: ApiClient): Promise<Properties> {
  const { items } = await client.list(PROPERTIES)
  return Object.fromEntries(items.map(({ metadata, spec }) => [metadata?.name ?? '', spec?.value ?? '']))
}

/** Lists for each selector the clusters that it selects for the importing one. */
export function selectClusters(
  selectors: readonly ClusterSelector[],
  importer: Properties,
  clusters: ReadonlyMap<string, Properties>,
): string[][] {
  return selectors.map(({ propertySelector: { matchProperties = {}, matchExpressions = [] } }) => {
    const pairs = Object.entries(matchProperties).map(([key, value]) => ({
      ...{ key, operator: 'In', values: [value] },
    }))
    const requirements = [...pairs, ...matchExpressions]
    const asksFor = requirements.filter(({ values = [] }) => values.includes(OWN_VALUE))
    if (asksFor.some(({ key }) => !(key in importer))) return []
    const isMet = (properties: Properties, { key, operator, values = [] }: (typeof requirements)[number]) => {
      const wanted = values.map((value) => (value === OWN_VALUE ? importer[key] : value))
      const isIn = key in properties && wanted.includes(properties[key])
      return { In: isIn, NotIn: !isIn, Exists: key in properties, DoesNotExist: !(key in properties) }[
        operator
      ]
    }
    return [...clusters]
      .flatMap(([id, properties]) => (requirements.every((one) => isMet(properties, one)) ? [id] : []))
      .sort()
  })
}

const has = (matchProperties: Record<string, string>): ClusterSelector => ({
  propertySelector: { matchProperties },
})
const SELECTORS: readonly ClusterSelector[] = [
  has({ [ID]: OWN_VALUE }),
  has({ [REGION]: OWN_VALUE }),
  has({ [REGION]: 'eu' }),
  has({ [REGION]: OWN_VALUE, [TIER]: 'gold' }),
  { propertySelector: { matchExpressions: [{ key: REGION, operator: 'NotIn', values: [OWN_VALUE] }] } },
  { propertySelector: { matchExpressions: [{ key: TIER, operator: 'Exists' }] } },
  { propertySelector: { matchExpressions: [{ key: TIER, operator: 'DoesNotExist' }] } },
]
export const REGIONS = ['eu', 'us', 'ap'] as const
/** The last one could not be a label. */
const TIERS = ['gold', 'of gold, and more: 100 %'] as const

/** Own cluster, then region, then any; or some of all selectors in any order; or none. */
const drawSelectors = (random: Random): readonly ClusterSelector[] | null =>
  random.pick([SELECTORS.slice(0, 2), random.shuffled(SELECTORS).slice(0, 1 + random.below(3)), null]) ?? null

const passConflict = (error: unknown): void => {
  if (!(error instanceof ConflictError)) throw error
}

const isAt = (service: Service, place: Place): boolean => textOf(placeOf(service)) === textOf(place)

export const exportOf = (
  metadata: Place,
  clusterSelectors: readonly ClusterSelector[] | null,
): ServiceExport => ({
  apiVersion: 'multicluster.x-k8s.io/v1beta1',
  kind: 'ServiceExport',
  metadata,
  ...(clusterSelectors && { spec: { clusterSelectors: [...clusterSelectors] } }),
})

/** Operations on properties of clusters, and on exports that select by them. */
export const SELECTION_OPERATIONS: readonly Operation[] = [
  onObject(
    'export-select',
    8,
    ({ view }) => PLACES.filter((place) => view.services.some((one) => isAt(one, place))),
    async (place, { cluster, world, random }) => {
      const clusterSelectors = drawSelectors(random)
      // Exports that differ are in conflict and the oldest decides; mostly they are of one mind.
      const some = random.chance(0.7) ? world.clusters : [cluster]
      for (const { client } of some)
        await client.patch(EXPORTS, place, { spec: { clusterSelectors } }).catch(async (error: unknown) => {
          if (!(error instanceof NotFoundError)) throw error
          await client.create(EXPORTS, exportOf(place, clusterSelectors))
          // Only of a Service in several clusters is there something to choose.
          await client.create(SERVICES, drawService(place, world.scene.mode, random)).catch(passConflict)
        })
      return `${JSON.stringify(clusterSelectors)} in ${some.map(({ name }) => name)}`
    },
  ),
  operation({
    name: 'property',
    weight: 3,
    targets: () => [REGION, REGION, TIER],
    async act(name, { cluster, random }) {
      const value = random.pick<string | null>([...(name === REGION ? REGIONS : TIERS), null]) ?? null
      await setProperty(cluster.client, name, value)
      return `${name} ${value}`
    },
  }),
]
