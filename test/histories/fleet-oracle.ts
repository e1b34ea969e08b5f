/**
 * Imports that a cluster set must have, computed from exports, Services and slices by code that shares
 * nothing with shared/fleet but the form of its objects.
 */

import type { Endpoint, EndpointSlice, Service } from '../../shared/endpointslice/index.ts'
import {
  FLEET_MANAGED_BY,
  type ImportPort,
  LABEL_IMPORT_NAME,
  LABEL_SOURCE_CLUSTER,
  type ServiceExport,
  serviceExports,
  serviceImports,
} from '../../shared/fleet/index.ts'
import { portText } from '../support/world/index.ts'
import { NAMESPACES_OF_HISTORY, placeOf, readView, textOf } from './objects.ts'
import type { HistoryCluster } from './world.ts'

export const EXPORTS = serviceExports('v1beta1')
export const IMPORTS = serviceImports('v1beta1')

/** Service that a cluster exports, with its slices. */
interface Offer {
  readonly cluster: string
  readonly since: string
  /** Ids of the clusters that it is for, beside its own; absent: all. */
  readonly to?: readonly string[]
  readonly service: Service
  readonly slices: readonly EndpointSlice[]
}

/** Annotation of an export for some clusters; a history draws no patterns. */
export const EXPORT_TO = 'sliceflow.dev/export-to'

/** Reports whether a cluster imports what another one, or it itself, exports. */
const isFor = ({ cluster, to }: Offer, home: string): boolean =>
  to === undefined || cluster === home || to.includes(home)

/** Offers of one cluster by the text of their place. */
export type Offers = ReadonlyMap<string, Offer>

/** Reads what a cluster exports now. An export without a Service offers nothing. */
export async function readOffers({ name, client }: HistoryCluster): Promise<Offers> {
  const { services, slices } = await readView(client)
  const exports: ServiceExport[] = []
  for (const namespace of NAMESPACES_OF_HISTORY)
    exports.push(...(await client.list(EXPORTS, { namespace })).items)
  return new Map(
    exports.flatMap((one): [string, Offer][] => {
      const key = textOf(placeOf(one))
      const service = services.find((candidate) => textOf(placeOf(candidate)) === key)
      if (service === undefined) return []
      const since = String(one.metadata?.creationTimestamp)
      const to = one.metadata?.annotations?.[EXPORT_TO]?.split(',')
      return [[key, { cluster: name, since, ...(to && { to }), service, slices: slicesOf(key, slices) }]]
    }),
  )
}

const slicesOf = (key: string, slices: readonly EndpointSlice[]): EndpointSlice[] =>
  slices.filter(
    ({ metadata }) => `${metadata?.namespace}/${metadata?.labels?.['kubernetes.io/service-name']}` === key,
  )

/** Offers of all clusters of a set. Those of a cluster that cannot be read are those of before its outage. */
export interface SetOffers {
  readonly readable: readonly Offers[]
  readonly frozen: readonly Offers[]
}

/** Compares the imports of a cluster. Returns a line for each difference. */
export async function checkImports(
  { name: home, client }: HistoryCluster,
  offers: SetOffers,
  isRefused: (address: string) => boolean,
): Promise<string[]> {
  const { slices } = await readView(client)
  const lines: string[] = []
  const found = new Map<string, readonly ImportPort[]>()
  for (const namespace of NAMESPACES_OF_HISTORY)
    for (const one of (await client.list(IMPORTS, { namespace })).items)
      found.set(textOf(placeOf(one)), one.spec?.ports ?? [])
  const keys = new Set(
    [...offers.readable, ...offers.frozen].flatMap((some) =>
      [...some].flatMap(([key, offer]) => (isFor(offer, home) ? [key] : [])),
    ),
  )
  for (const key of [...found.keys()].filter((one) => !keys.has(one)))
    lines.push(`import ${key} is left over`)
  for (const key of keys) {
    const ports = found.get(key)
    if (ports === undefined) lines.push(`import ${key} is missing`)
    const wanted = expectedImport(key, { offers, home, isRefused })
    lines.push(
      ...compare(
        `import ${key}: port`,
        (ports ?? []).map(portText),
        wanted.ports.map((port) => [portText(port)]),
      ),
    )
    lines.push(...compare(`import ${key}:`, actualEndpoints(key, slices, home), wanted.endpoints))
  }
  return lines
}

interface ImportInput {
  readonly offers: SetOffers
  readonly home: string
  readonly isRefused: (address: string) => boolean
}

interface ExpectedImport {
  readonly ports: readonly ImportPort[]
  /** Texts that are right, for each endpoint: two of equal rank with one address may stand for each other. */
  readonly endpoints: readonly (readonly string[])[]
}

function expectedImport(key: string, { offers, home, isRefused }: ImportInput): ExpectedImport {
  const of = (some: readonly Offers[]): Offer[] =>
    some
      .flatMap((each) => each.get(key) ?? [])
      .filter((offer) => isFor(offer, home))
      .sort((a, b) => (`${a.since} ${a.cluster}` < `${b.since} ${b.cluster}` ? -1 : 1))
  // The ports of a cluster that cannot be read are those of a younger export.
  const all = [...of(offers.readable), ...of(offers.frozen)]
  const ports: ImportPort[] = []
  for (const { service } of all)
    for (const { name, port, protocol = 'TCP', appProtocol } of service.spec?.ports ?? [])
      if (!ports.some((one) => one.name === name || (one.port === port && one.protocol === protocol)))
        ports.push({ name, port, protocol, appProtocol } as ImportPort)
  const endpoints = all.flatMap((offer) =>
    endpointsOf(offer, { ports, isHome: offer.cluster === home, isRefused }),
  )
  return { ports, endpoints }
}

interface EndpointRules {
  readonly ports: readonly ImportPort[]
  readonly isHome: boolean
  readonly isRefused: (address: string) => boolean
}

function endpointsOf(offer: Offer, rules: EndpointRules): (readonly string[])[] {
  const candidates = offer.slices.flatMap((slice) => {
    const ports = importedPorts(slice, offer.service, rules)
    const endpoints = ports.length === 0 ? [] : (slice.endpoints ?? [])
    return endpoints
      .filter(({ addresses }) => !rules.isRefused(addresses[0] ?? ''))
      .map((endpoint) => ({ endpoint, id: identity(offer.cluster, slice, endpoint, ports) }))
  })
  return [...Map.groupBy(candidates, ({ id }) => id)].map(([id, some]) => {
    const highest = Math.max(...some.map(({ endpoint }) => rankOf(endpoint)))
    const best = some.filter(({ endpoint }) => rankOf(endpoint) === highest)
    return best.map(({ endpoint }) => `${id} ${details(endpoint, rules.isHome)}`)
  })
}

/** Lists the ports of a slice that lead to what the import has under their name. */
const importedPorts = (slice: EndpointSlice, { spec }: Service, rules: EndpointRules): string[] =>
  (slice.ports ?? []).flatMap((port) => {
    const own = spec?.ports?.find(({ name }) => name === port.name)
    const wanted = rules.ports.find(({ name }) => name === port.name)
    const protocols = [own?.protocol ?? 'TCP', port.protocol ?? 'TCP']
    if (wanted === undefined || own?.port !== wanted.port) return []
    if (protocols.some((protocol) => protocol !== wanted.protocol)) return []
    return [portText({ ...port, appProtocol: wanted.appProtocol ?? '' })]
  })

/** Ranks an endpoint: one that is ready comes before one that serves, and that before one that ends. */
function rankOf({ conditions = {} }: Endpoint): number {
  const isReady = conditions.ready !== false
  return (
    4 * Number(isReady) + 2 * Number(conditions.serving ?? isReady) + Number(conditions.terminating !== true)
  )
}

const identity = (
  cluster: string,
  { addressType }: EndpointSlice,
  { addresses }: Endpoint,
  ports: readonly string[],
): string => `${cluster} ${addressType} ${addresses[0]} [${ports.toSorted().join(', ')}]`

function details({ conditions = {}, zone, nodeName, targetRef }: Endpoint, isHome: boolean): string {
  const isReady = conditions.ready !== false
  const texts = [
    `ready=${isReady}`,
    `serving=${conditions.serving ?? isReady}`,
    `terminating=${conditions.terminating === true}`,
    `zone=${zone}`,
  ]
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
      const source = slice.metadata?.labels?.[LABEL_SOURCE_CLUSTER] ?? ''
      const ports = (slice.ports ?? []).map(portText)
      return (slice.endpoints ?? []).map(
        (endpoint) => `${identity(source, slice, endpoint, ports)} ${details(endpoint, source === home)}`,
      )
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
