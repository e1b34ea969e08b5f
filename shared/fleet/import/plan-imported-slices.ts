import { FLEET_MANAGED_BY } from '../../changes/index.ts'
import {
  type EndpointSlice,
  type EndpointSource,
  joinPlans,
  type PlanOptions,
  plan,
  SERVICE_OWNER,
  type Service,
  type SlicePlan,
} from '../../endpointslice/index.ts'
import { derivedServiceName, IMPORT_OWNER, sourceOf } from '../import-owner.ts'
import {
  type Choices,
  chooseEndpoints,
  chosenEndpoint,
  frozenServes,
  servedPorts,
} from '../policy/choose-endpoints.ts'
import type { FleetPolicy } from '../policy/fleet-policy.ts'
import type { ServiceImport, ServiceImportSpec } from '../resources.ts'
import { LABEL_CLUSTER_SET, LABEL_SOURCE_CLUSTER } from '../well-known.ts'
import { ownedBy } from './derived-service.ts'
import { type ImportSource, importedEndpoints } from './imported-endpoints.ts'

/** A Service that a cluster imports. */
export interface ImportedService {
  /** ServiceImport as it stands in that cluster. */
  readonly import: ServiceImport
  /** The derived Service; undefined of a headless import. */
  readonly derived: Service | undefined
  readonly ports: ServiceImportSpec['ports']
  /** Absent: every endpoint is published. */
  readonly policy?: FleetPolicy | undefined
  /** Clusters of the import's selectors, the first choice first; absent: all clusters serve. */
  readonly selected?: readonly (readonly string[])[] | undefined
}

export interface ImportedSlicesInput extends ImportedService {
  readonly set: string
  /** The id of the cluster that the slices are for. */
  readonly home: string
  readonly sources: readonly ImportSource[]
  /** Ids of clusters whose slices stay as they are. */
  readonly frozen: ReadonlySet<string>
  /** All imported slices of the import in that cluster. */
  readonly slices: readonly EndpointSlice[]
  /** Names that slices of others have. */
  readonly takenNames: readonly string[]
  readonly options: Pick<PlanOptions, 'maxEndpointsPerSlice' | 'packing' | 'triggerTime'>
  /** Makes a source without the addresses that may not be published. */
  readonly filter: (source: EndpointSource) => EndpointSource
}

interface ImportedSlicesPlan extends SlicePlan {
  /** What is published and what serves; absent where neither a policy nor a selector says so. */
  readonly choices?: Choices
  /** Slices of clusters that do not answer which serve by now, or do so no longer. */
  readonly turned: readonly EndpointSlice[]
}

/** Part of one cluster in an import, as endpoints that may be published. */
interface Part {
  readonly cluster: string
  readonly source: EndpointSource
  /** False: its slices are for consumers alone that choose clusters themselves. Default true. */
  readonly serves?: boolean
}

const NO_POLICY: FleetPolicy = { weights: new Map() }

/**
 * Plans the slices of one import in one cluster: packed apart for each source cluster and family (KEP-1645),
 * each as {@link plan} packs those of a Service.
 */
export function planImportedSlices(input: ImportedSlicesInput): ImportedSlicesPlan {
  const { home, sources, frozen, slices, ports, policy, selected, filter } = input
  const bySource = Map.groupBy(slices, sourceOf)
  const parts = sources
    .filter(({ cluster }) => !frozen.has(cluster))
    .map((source): Part => {
      const { cluster } = source
      return { cluster, source: filter(importedEndpoints(source, { ports, isHome: cluster === home })) }
    })
  const choices = (policy ?? selected) && choicesFor(policy ?? NO_POLICY, parts, input)
  const planned = parts
    .map((part) => (choices === undefined ? part : chosenPart(part, choices)))
    .flatMap((part) => planPart(part, bySource.get(part.cluster) ?? [], { ...input, choices }))
  const known = new Set([...frozen, ...sources.map(({ cluster }) => cluster)])
  const gone = [...bySource].flatMap(([cluster, some]) => (known.has(cluster) ? [] : some))
  const joined = joinPlans(planned)
  const turned = slices
    .filter((slice) => frozen.has(sourceOf(slice)))
    .flatMap((slice) => turnedSlice(slice, input, choices) ?? [])
  return { ...joined, delete: [...joined.delete, ...gone], turned, ...(choices && { choices }) }
}

/** Returns a slice that stays as one that serves, or as one that does not; undefined where it is that. */
function turnedSlice(
  slice: EndpointSlice,
  { derived, import: { metadata } }: ImportedSlicesInput,
  choices: Choices | undefined,
): EndpointSlice | undefined {
  const serves = frozenServes(choices, slice)
  if (isServing(slice) === serves || (slice.endpoints ?? []).length === 0) return undefined
  const { namespace = '', name = '' } = metadata ?? {}
  return servingSlice(slice, derived?.metadata?.name ?? derivedServiceName(namespace, name), serves)
}

function choicesFor(policy: FleetPolicy, parts: readonly Part[], input: ImportedSlicesInput): Choices {
  const service = { metadata: { name: '', ...input.import.metadata } }
  // What is skipped for other reasons is reported once it is planned.
  const ignore = (): void => undefined
  const offers = parts.map(({ cluster, source }) => ({
    cluster,
    endpoints: [...source.endpoints(service, ignore)],
  }))
  return chooseEndpoints(policy, { ...input, offers, published: input.slices })
}

const chosenPart = ({ cluster, source }: Part, choices: Choices): Part => ({
  cluster,
  source: {
    ...source,
    *endpoints(service, skip) {
      for (const endpoint of source.endpoints(service, skip))
        yield* chosenEndpoint(choices, cluster, endpoint)
    },
  },
})

/**
 * Plans the slices of one cluster. Those that serve have the label by which kube-proxy finds them; a cluster
 * that serves on some of its ports has both kinds, each endpoint and port in one of them.
 */
function planPart(
  part: Part,
  slices: readonly EndpointSlice[],
  { choices, ...input }: ImportedSlicesInput & { readonly choices: Choices | undefined },
): SlicePlan[] {
  const serves = [...(choices?.values() ?? [])].flatMap(
    ({ clusters }) => clusters.get(part.cluster)?.serves ?? [],
  )
  if (choices === undefined || !serves.includes(false)) return [planSource(part, slices, input)]
  if (!serves.includes(true)) return [planSource({ ...part, serves: false }, slices, input)]
  const [serving, others] = [slices.filter(isServing), slices.filter((slice) => !isServing(slice))]
  return [
    planSource(partOf(part, choices, true), serving, input),
    planSource(partOf(part, choices, false), others, input),
  ]
}

/** Returns the ports of a cluster's endpoints on which it serves, or those on which it does not. */
const partOf = ({ cluster, source }: Part, choices: Choices, serves: boolean): Part => ({
  cluster,
  serves,
  source: {
    addressTypes: (source.addressTypes ?? []).filter((type) =>
      [...choices.values()].some(
        ({ family, clusters }) => family === type && clusters.get(cluster)?.serves === serves,
      ),
    ),
    *endpoints(service, skip) {
      for (const endpoint of source.endpoints(service, skip)) {
        const served = servedPorts(choices, cluster, endpoint)
        const ports = (endpoint.ports ?? []).filter(({ name = '' }) => served.includes(name) === serves)
        if (ports.length > 0) yield { ...endpoint, ports }
      }
    },
  },
})

/** Reports whether a slice has the label by which kube-proxy finds it. */
export const isServing = (slice: Pick<EndpointSlice, 'metadata'>): boolean =>
  SERVICE_OWNER.nameOf(slice) !== ''

/** Makes a slice one that serves the derived Service, or one that does not. */
function servingSlice(slice: EndpointSlice, service: string, serves: boolean): EndpointSlice {
  const { [SERVICE_OWNER.nameLabel]: name, ...labels } = slice.metadata?.labels ?? {}
  const own = serves ? { [SERVICE_OWNER.nameLabel]: name ?? service } : {}
  return { ...slice, metadata: { ...slice.metadata, labels: { ...labels, ...own } } }
}

function planSource(
  { cluster, source, serves = true }: Part,
  slices: readonly EndpointSlice[],
  { set, import: owner, options, takenNames, ...input }: ImportedSlicesInput,
): SlicePlan {
  const { namespace = '', name = '' } = owner.metadata ?? {}
  const service = input.derived ?? headlessService(namespace, name, owner)
  const reference = ownedBy(owner)
  const leftovers = slices.filter((slice) => !isOf(slice, reference.uid))
  const current = slices.filter((slice) => !leftovers.includes(slice))
  const derived = service.metadata?.name ?? ''
  const planned = plan(
    {
      service,
      ...{ pods: [], nodes: [], source },
      slices: current.map((slice) => servingSlice(slice, derived, true)),
    },
    {
      ...options,
      managedBy: FLEET_MANAGED_BY,
      owner: reference,
      labels: {
        [IMPORT_OWNER.nameLabel]: name,
        [LABEL_SOURCE_CLUSTER]: cluster,
        [LABEL_CLUSTER_SET]: set,
      },
      namesInUse: new Set([...takenNames, ...input.slices.map(({ metadata }) => metadata?.name ?? '')]),
      comparedLabels: 'all',
    },
  )
  const asPlanned = new Set([...planned.update, ...planned.delete].map(nameOf))
  const relabelled = current.filter((slice) => isServing(slice) !== serves && !asPlanned.has(nameOf(slice)))
  const turned = (slice: EndpointSlice): EndpointSlice => servingSlice(slice, derived, serves)
  return {
    ...planned,
    create: planned.create.map(turned),
    update: [...planned.update, ...relabelled].map(turned),
    delete: [...planned.delete, ...leftovers],
  }
}

const nameOf = ({ metadata }: EndpointSlice): string => metadata?.name ?? ''

/** Stands for the derived Service that a headless import has none of. */
const headlessService = (namespace: string, name: string, { metadata }: ServiceImport): Service => ({
  metadata: { name: derivedServiceName(namespace, name), namespace, uid: metadata?.uid ?? '' },
  spec: { clusterIP: 'None' },
})

const isOf = ({ metadata }: EndpointSlice, uid: string): boolean =>
  (metadata?.ownerReferences ?? []).some((owner) => owner.uid === uid)
