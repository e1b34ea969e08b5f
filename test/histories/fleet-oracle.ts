/**
 * Imports that a cluster set must have, computed from exports, Services and slices by code that shares
 * nothing with shared/fleet but the form of its objects.
 */

import { FLEET_MANAGED_BY } from '../../shared/changes/index.ts'
import type { Endpoint, EndpointSlice, Service } from '../../shared/endpointslice/index.ts'
import {
  type ImportPort,
  LABEL_IMPORT_NAME,
  LABEL_SOURCE_CLUSTER,
  type ServiceImport,
  serviceImports,
} from '../../shared/fleet/index.ts'
import { portText } from '../support/world/index.ts'
import { selectClusters } from './cluster-selection.ts'
import { isFor, type Offer, type Offers, type SetOffers } from './fleet-offers.ts'
import { NAMESPACES_OF_HISTORY, placeOf, readView, textOf } from './objects.ts'
import type { HistoryCluster } from './world.ts'

const IMPORTS = serviceImports('v1beta1')

/** Compares the imports of a cluster. Returns a line for each difference. */
export async function checkImports(
  { name: home, client }: HistoryCluster,
  set: SetOffers,
  isRefused: (address: string) => boolean,
): Promise<string[]> {
  const { slices } = await readView(client)
  const found = new Map<string, ServiceImport>()
  for (const namespace of NAMESPACES_OF_HISTORY)
    for (const one of (await client.list(IMPORTS, { namespace })).items) found.set(textOf(placeOf(one)), one)
  const keys = new Set(
    [...set.readable, ...set.frozen].flatMap((some) =>
      [...some].flatMap(([key, offer]) => (isFor(offer, home) ? [key] : [])),
    ),
  )
  const left = [...found.keys()].filter((one) => !keys.has(one)).map((key) => `import ${key} is left over`)
  const others = [...keys].flatMap((key) => {
    const endpoints = actualEndpoints(key, slices, home)
    const differences = expectedImports(key, { set, home, isRefused }).map((expected) =>
      compareImport(key, { object: found.get(key), endpoints }, expected),
    )
    return differences.sort((a, b) => a.length - b.length)[0] ?? []
  })
  return [...left, ...others]
}

function compareImport(
  key: string,
  {
    object,
    endpoints,
  }: { readonly object: ServiceImport | undefined; readonly endpoints: readonly string[] },
  wanted: ExpectedImport,
): string[] {
  const ports = (object?.spec?.ports ?? []).map(portText)
  const results = resultsText(
    object?.status?.clusterSelectorResults?.map(({ clusters = [] }) => [...clusters]),
  )
  const isRight = wanted.results === 'unknown' || results === resultsText(wanted.results)
  return [
    ...(object === undefined ? [`import ${key} is missing`] : []),
    ...(isRight ? [] : [`import ${key} selects ${results}, not ${resultsText(wanted.results)}`]),
    ...compare(
      `import ${key}: port`,
      ports,
      wanted.ports.map((port) => [portText(port)]),
    ),
    ...compare(`import ${key}:`, endpoints, wanted.endpoints),
  ]
}

const resultsText = (results: Results): string => JSON.stringify(results) ?? 'nothing'

interface ImportInput {
  readonly set: SetOffers
  readonly home: string
  readonly isRefused: (address: string) => boolean
}

/** Clusters that each selector selects; undefined without selectors, unknown where only the past says so. */
type Results = readonly (readonly string[])[] | undefined | 'unknown'

/** Says whether a cluster is behind the derived Service with a port. */
type Serves = (cluster: string, family: string, port: string) => boolean

interface ExpectedImport {
  readonly ports: readonly ImportPort[]
  readonly results: Results
  readonly serves: Serves
  /** Texts that are right, for each endpoint: two of equal rank with one address may stand for each other. */
  readonly endpoints: readonly (readonly string[])[]
}

const portsOf = ({ service }: Offer): ImportPort[] =>
  (service.spec?.ports ?? []).map(
    ({ name, port, protocol = 'TCP', appProtocol }) => ({ name, port, protocol, appProtocol }) as ImportPort,
  )

/** Returns what an import must be; more than one where that depends on the past. */
function expectedImports(key: string, input: ImportInput): readonly ExpectedImport[] {
  const { set, home } = input
  const of = (some: readonly Offers[]): Offer[] =>
    some
      .flatMap((each) => each.get(key) ?? [])
      .filter((offer) => isFor(offer, home))
      .sort((a, b) => (`${a.since} ${a.cluster}` < `${b.since} ${b.cluster}` ? -1 : 1))
  const [readable, frozen] = [of(set.readable), of(set.frozen)]
  const before = frozen.length > 0 && set.outage?.set ? { ...input, set: set.outage.set } : undefined
  const [past] = before ? expectedImports(key, before) : []
  // A cluster that cannot be read keeps the ports that it had in the import, as those of the youngest export.
  const known = new Set(past?.ports.map(portText))
  const left = frozen.flatMap(portsOf).filter((port) => past === undefined || known.has(portText(port)))
  // One that another export hid during the outage may have been forgotten.
  const rivals = of(set.outage?.set?.readable ?? []).flatMap(portsOf)
  const unrivalled = left.filter((port) => !rivals.some((rival) => isInTheWay(rival, port)))
  return (left.length === unrivalled.length ? [left] : [left, unrivalled]).flatMap((some) =>
    importsOf({ readable, frozen, past, left: some }, input),
  )
}

const isInTheWay = (one: ImportPort, other: ImportPort): boolean =>
  portText(one) !== portText(other) &&
  (one.name === other.name || (one.port === other.port && one.protocol === other.protocol))

interface Exporters {
  readonly readable: readonly Offer[]
  readonly frozen: readonly Offer[]
  readonly past: ExpectedImport | undefined
  /** Ports that those have in the import that cannot be read. */
  readonly left: readonly ImportPort[]
}

function importsOf(
  { readable, frozen, past, left }: Exporters,
  input: ImportInput,
): readonly ExpectedImport[] {
  const ports: ImportPort[] = []
  for (const own of [...readable.flatMap(portsOf), ...left])
    if (!ports.some((one) => portText(one) === portText(own) || isInTheWay(one, own))) ports.push(own)
  const candidates = [
    ...readable.flatMap((offer) => candidatesOf(offer, ports, input.isRefused)),
    // Their slices do not change, whatever ports the import has by now.
    ...frozen.flatMap((offer) => candidatesOf(offer, past?.ports ?? ports, input.isRefused)),
  ]
  const frozenOnes = frozen.map(({ cluster }) => cluster)
  return resultsOf({ readable, frozen }, input, past).map((results) => {
    const serves: Serves = (cluster, family, port) => {
      if (results === undefined || results === 'unknown') return true
      const able = candidates.filter(
        (one) =>
          one.family === family &&
          one.ports.some(({ name }) => name === port) &&
          rankOf(one.endpoint) >= SERVING_RANK,
      )
      const first = results.find((ids) => able.some((one) => ids.includes(one.cluster)))
      return first?.includes(cluster) !== false
    }
    const parts = candidates.flatMap((candidate) => {
      // Slices that stay are those of before; they serve by all of their ports or by none.
      const isFrozen = frozenOnes.includes(candidate.cluster)
      return partsOf(candidate, isFrozen && past ? past.serves : serves).map((part): Part => {
        if (!isFrozen) return part
        const isServing = part.ports.some(({ name }) => serves(part.cluster, part.family, name))
        return { ...part, isServing: results === 'unknown' ? undefined : isServing }
      })
    })
    return { ports, results, serves, endpoints: textsOf(parts, input.home) }
  })
}

/** Clusters that are selected; while the properties of one are unknown, those from before stay, if any. */
function resultsOf(
  { readable, frozen }: { readonly readable: readonly Offer[]; readonly frozen: readonly Offer[] },
  { set, home }: ImportInput,
  past: ExpectedImport | undefined,
): readonly Results[] {
  const [winner] = readable
  if (winner === undefined) return ['unknown']
  if (winner.selectors === undefined) return [undefined]
  if (frozen.length > 0 && set.outage?.kind !== '403 of exports') return [past?.results, undefined]
  const exporting = [...readable, ...frozen].map(
    ({ cluster }) => [cluster, set.properties.get(cluster) ?? {}] as const,
  )
  return [selectClusters(winner.selectors, set.properties.get(home) ?? {}, new Map(exporting))]
}

/** An endpoint that may be imported, with those of its ports that the import has. */
interface Candidate {
  readonly cluster: string
  readonly family: string
  readonly endpoint: Endpoint
  readonly ports: readonly { readonly name: string; readonly text: string }[]
}

const candidatesOf = (
  offer: Offer,
  ports: readonly ImportPort[],
  isRefused: ImportInput['isRefused'],
): Candidate[] =>
  offer.slices.flatMap((slice) => {
    const own = importedPorts(slice, offer.service, ports)
    const endpoints = own.length === 0 ? [] : (slice.endpoints ?? [])
    return endpoints
      .filter(({ addresses }) => !isRefused(addresses[0] ?? ''))
      .map((endpoint) => ({ cluster: offer.cluster, family: slice.addressType, endpoint, ports: own }))
  })

/** Part of an endpoint that is in one slice. */
interface Part extends Candidate {
  /** Undefined where it may serve or not. */
  readonly isServing: boolean | undefined
}

/** Ports by which a cluster serves are in other slices than those by which it does not. */
const partsOf = (candidate: Candidate, serves: Serves): Part[] =>
  [true, false].flatMap((isServing) => {
    const { cluster, family } = candidate
    const ports = candidate.ports.filter(({ name }) => serves(cluster, family, name) === isServing)
    return ports.length === 0 ? [] : [{ ...candidate, ports, isServing }]
  })

const textsOf = (parts: readonly Part[], home: string): (readonly string[])[] =>
  [...Map.groupBy(parts, identity)].map(([id, some]) => {
    const highest = Math.max(...some.map(({ endpoint }) => rankOf(endpoint)))
    const best = some.filter(({ endpoint }) => rankOf(endpoint) === highest)
    return best.flatMap(({ cluster, endpoint, isServing }) =>
      (isServing === undefined ? [true, false] : [isServing]).map(
        (one) => `${id} ${details(endpoint, { isHome: cluster === home, isServing: one })}`,
      ),
    )
  })

/** Lists the ports of a slice that lead to what the import has under their name. */
const importedPorts = (
  slice: EndpointSlice,
  { spec }: Service,
  ports: readonly ImportPort[],
): Candidate['ports'] =>
  (slice.ports ?? []).flatMap((port) => {
    const own = spec?.ports?.find(({ name }) => name === port.name)
    const wanted = ports.find(({ name }) => name === port.name)
    const protocols = [own?.protocol ?? 'TCP', port.protocol ?? 'TCP']
    if (wanted === undefined || own?.port !== wanted.port) return []
    if (protocols.some((protocol) => protocol !== wanted.protocol)) return []
    return [{ name: port.name ?? '', text: portText({ ...port, appProtocol: wanted.appProtocol ?? '' }) }]
  })

/** Rank of an endpoint that serves and is not ready, while it terminates. */
const SERVING_RANK = 2

/** Ranks an endpoint: one that is ready comes before one that serves, and that before one that ends. */
function rankOf({ conditions = {} }: Endpoint): number {
  const isReady = conditions.ready !== false
  return (
    4 * Number(isReady) + 2 * Number(conditions.serving ?? isReady) + Number(conditions.terminating !== true)
  )
}

const identity = ({ cluster, family, endpoint, ports }: Omit<Part, 'isServing'>): string =>
  `${cluster} ${family} ${endpoint.addresses[0]} [${ports
    .map(({ text }) => text)
    .sort()
    .join(', ')}]`

function details(
  { conditions = {}, zone, nodeName, targetRef }: Endpoint,
  { isHome, isServing }: { readonly isHome: boolean; readonly isServing: boolean },
): string {
  const isReady = conditions.ready !== false
  const texts = [
    `ready=${isReady}`,
    `serving=${conditions.serving ?? isReady}`,
    `terminating=${conditions.terminating === true}`,
    `zone=${zone}`,
  ]
  if (!isServing) texts.push('behind no Service')
  return [...texts, ...(isHome ? [`node=${nodeName}`, `pod=${targetRef?.name}`] : [])].join(' ')
}

function actualEndpoints(key: string, slices: readonly EndpointSlice[], home: string): string[] {
  return slices
    .filter(
      ({ metadata }) =>
        metadata?.labels?.['endpointslice.kubernetes.io/managed-by'] === FLEET_MANAGED_BY &&
        `${metadata.namespace}/${metadata.labels[LABEL_IMPORT_NAME]}` === key,
    )
    .flatMap((slice) => {
      const { [LABEL_SOURCE_CLUSTER]: cluster = '', ...labels } = slice.metadata?.labels ?? {}
      const ports = (slice.ports ?? []).map((port) => ({ name: port.name ?? '', text: portText(port) }))
      const isServing = 'kubernetes.io/service-name' in labels
      return (slice.endpoints ?? []).map((endpoint) => {
        const id = identity({ cluster, family: slice.addressType, endpoint, ports })
        return `${id} ${details(endpoint, { isHome: cluster === home, isServing })}`
      })
    })
}

/** Compares two collections, the second with the texts that are right for each member. */
function compare(
  title: string,
  actual: readonly string[],
  expected: readonly (readonly string[])[],
): string[] {
  const left = [...actual]
  const missing: string[] = []
  for (const texts of expected) {
    const index = left.findIndex((text) => texts.includes(text))
    if (index === -1) missing.push(texts.join(' or '))
    else left.splice(index, 1)
  }
  return [
    ...missing.map((text) => `${title} ${text} is missing`),
    ...left.map((text) => `${title} ${text} should not be there`),
  ]
}
