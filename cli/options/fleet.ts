import {
  type ClusterSet,
  type ClusterSetMember,
  clusterSetProblems,
  resolveClusterSets,
} from '../../shared/cluster-sets/index.ts'
import { labelName } from '../../shared/kubernetes/index.ts'
import { didYouMean } from '../../shared/schema/index.ts'
import {
  type ClusterSetConfig,
  checkClusterSets,
  NO_CLUSTER_SETS,
  parseClusterSets,
} from '../../shared/settings/index.ts'
import { commaSeparated } from '../../shared/values/index.ts'
import { UsageError } from '../usage.ts'
import { type Flag, type FlagValues, flag, repeated } from './flags.ts'

const DEFAULT_SET = 'default'
const ALL_NAMESPACES = '*'
const ROLES = ['both', 'export', 'import', 'leave'] as const

/** Of commands that make or ask about a cluster set. */
export const FLEET = {
  /** The set's name, or true for the usual one; absent: there is no set. */
  fleet: flag(
    '--fleet [set]',
    'make one Service of those with the same namespace and name that are exported (ServiceExport, KEP-1645) in any of the clusters, and import it in all of them; the name of the set is "default" unless given',
  ) as Flag<string | true | undefined>,
  fleetNamespaces: flag(
    '--fleet-namespaces <patterns>',
    'namespaces that mean the same in every cluster of the set, such as shop,team-*, and those that leave it, as shop=leave (what is imported there is removed); the first that matches applies; those of Kubernetes itself are never among "*"',
    { default: ALL_NAMESPACES },
  ),
  fleetRole: repeated(
    '--fleet-role <context=role>',
    'what a cluster does in the set: both, export, import, or leave (what is imported there is removed); may be repeated (default: both)',
  ),
  fleetId: repeated(
    '--fleet-id <context=id>',
    'the id of a cluster in labels and DNS names, where its context is not a DNS label; may be repeated (default: the context)',
  ),
  fleetClusterSelection: flag(
    '--fleet-cluster-selection',
    'exports may prefer clusters by their properties (spec.clusterSelectors, KEP-5939): ClusterProperties of the clusters, and those of --fleet-property',
  ),
  fleetProperty: repeated(
    '--fleet-property <context=name=value>',
    'a property of a cluster, such as eu-1=region=eu, in place of its ClusterProperty of this name; may be repeated',
  ),
}
export type FleetFlags = FlagValues<typeof FLEET>

/**
 * Returns the cluster sets that the flags ask for: one of all clusters with `--fleet`, or those of
 * `--cluster-sets`.
 * @throws UsageError that names what is wrong and what to do
 */
export function clusterSetsOfFlags(
  options: FleetFlags,
  clusterSets: string,
  clusters: readonly string[],
): readonly ClusterSet[] {
  const isOfFleet = options.fleet !== undefined
  if (isOfFleet && clusterSets !== NO_CLUSTER_SETS)
    throw new UsageError(
      '--fleet: --cluster-sets (SLICEFLOW_CLUSTER_SETS) says which sets there are; leave one of the two out',
    )
  const flag = isOfFleet ? '--fleet' : '--cluster-sets'
  const configs = parseClusterSets(clusterSetsSetting(options, clusterSets, clusters))
  if (!isOfFleet) assertNoFleetFlags(options)
  const known = clusters.map((name) => ({ name }))
  const [problem] = clusterSetProblems(configs, known)
  if (problem !== undefined) throw new UsageError(`${flag}: ${problem}`)
  return resolveClusterSets(configs, known)
}

/**
 * Writes the set that `--fleet` makes as the setting `clusterSets` would have it; without the flag, it is the
 * setting.
 * @throws UsageError
 */
export const clusterSetsSetting = (
  options: FleetFlags,
  clusterSets: string,
  clusters: readonly string[],
): string => (options.fleet === undefined ? clusterSets : JSON.stringify([setOfFlags(options, clusters)]))

/** Warns of each set of one cluster: nothing is imported from elsewhere there. */
export const loneSets = (sets: readonly ClusterSet[]): string[] =>
  sets
    .filter(({ members }) => members.length < 2)
    .map(
      ({ name, members: [only] }) =>
        `the cluster set ${name} has ${only === undefined ? 'no cluster' : `one cluster, ${only.cluster}`}: Services across clusters need two or more; name further ones with --context`,
    )

/** Refuses flags about a set where none is made by flags. @throws UsageError */
export function assertNoFleetFlags(options: FleetFlags): void {
  const { fleetNamespaces, fleetRole, fleetId, fleetProperty, fleetClusterSelection } = options
  const [given] = [
    ...(fleetNamespaces === ALL_NAMESPACES ? [] : ['--fleet-namespaces']),
    ...fleetRole.map(() => '--fleet-role'),
    ...fleetId.map(() => '--fleet-id'),
    ...fleetProperty.map(() => '--fleet-property'),
    ...(fleetClusterSelection ? ['--fleet-cluster-selection'] : []),
  ]
  if (given !== undefined) throw new UsageError(`${given} is about a cluster set: give --fleet as well`)
}

/** @throws UsageError */
function setOfFlags(options: FleetFlags, clusters: readonly string[]): ClusterSetConfig {
  const { fleet, fleetNamespaces, fleetRole, fleetId, fleetProperty, fleetClusterSelection } = options
  const roles = pairsOf('--fleet-role', fleetRole, clusters)
  const ids = pairsOf('--fleet-id', fleetId, clusters)
  const properties = propertiesOf(fleetProperty, clusters)
  if (properties.size > 0 && !fleetClusterSelection)
    throw new UsageError('--fleet-property: nothing reads properties; give --fleet-cluster-selection as well')
  const entries = clusters.map((cluster) => {
    const role = roles.get(cluster) ?? 'both'
    if (!isRole(role))
      throw new UsageError(`--fleet-role: ${cluster}=${role}: the role must be ${ROLES.join(', ')}`)
    return { name: cluster, id: ids.get(cluster) ?? cluster, role, properties: properties.get(cluster) }
  })
  const nameless = entries.find(({ id }) => labelName(id).length > 0)
  if (nameless !== undefined)
    throw new UsageError(
      `--fleet: "${nameless.id}" cannot be the id of a cluster, as it is not a DNS label; give one with --fleet-id ${nameless.name}=ID`,
    )
  const namespaces = commaSeparated(fleetNamespaces)
  const name = fleet === true ? DEFAULT_SET : fleet
  const { sets, problems } = checkClusterSets([
    { name, clusters: entries, namespaces, ...(fleetClusterSelection && { clusterSelection: true }) },
  ])
  const [set] = sets
  if (set === undefined) throw new UsageError(`--fleet: ${problems.join('; ')}`)
  return set
}

const isRole = (text: string): text is ClusterSetMember['role'] => ROLES.some((role) => role === text)

/** Splits each text at its last equals sign, as names of contexts may have some. */
function pairsOf(
  flag: string,
  texts: readonly string[],
  clusters: readonly string[],
): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>()
  for (const text of texts) {
    const at = text.lastIndexOf('=')
    const [cluster, value] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)]
    if (at < 1 || value === '')
      throw new UsageError(`${flag}: "${text}" must be CONTEXT=VALUE, such as eu-1=${flag.slice(8)}`)
    if (!clusters.includes(cluster))
      throw new UsageError(
        `${flag}: ${cluster} is not one of the clusters (${clusters.join(', ')})${didYouMean(cluster, clusters)}`,
      )
    if (pairs.has(cluster)) throw new UsageError(`${flag}: ${cluster} is given twice`)
    pairs.set(cluster, value)
  }
  return pairs
}

/** Reads the properties of clusters, each `CONTEXT=NAME=VALUE`; a context may have equals signs itself. */
function propertiesOf(
  texts: readonly string[],
  clusters: readonly string[],
): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const properties = new Map<string, Record<string, string>>()
  for (const text of texts) {
    const fitting = clusters.filter((name) => text.startsWith(`${name}=`))
    const [cluster] = fitting.sort((a, b) => b.length - a.length)
    const [name = '', ...value] = cluster === undefined ? [] : text.slice(cluster.length + 1).split('=')
    if (cluster === undefined || name === '' || value.length === 0)
      throw new UsageError(
        `--fleet-property: "${text}" must be CONTEXT=NAME=VALUE of one of the clusters (${clusters.join(', ')}), such as eu-1=region=eu`,
      )
    properties.set(cluster, { ...properties.get(cluster), [name]: value.join('=') })
  }
  return properties
}

/**
 * Takes the word after `--fleet` for what is asked about where it has a slash, a dot or a colon, as no name
 * of a set has one: so both `--fleet shop/web` and `--fleet prod shop/web` can be said, and
 * `--fleet 10.1.2.3`.
 */
export function serviceAndSet(
  service: string | undefined,
  fleet: FleetFlags['fleet'],
): readonly [service: string | undefined, fleet: FleetFlags['fleet']] {
  const isService = service === undefined && typeof fleet === 'string' && /[/.:]/.test(fleet)
  return isService ? [fleet, true] : [service, fleet]
}
