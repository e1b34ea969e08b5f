import {
  isAbsent,
  isRecord,
  listFault,
  metadataFault,
  notText,
  notTextItem,
  notTextMap,
  wrong,
} from './objects/faults.ts'
import { SERVICE_OWNER } from './slice-owner.ts'
import type { ObjectMeta, Service, ServicePort } from './types.ts'

/** A requirement of a label selector, as the API has it. */
export interface LabelSelectorRequirement {
  readonly key: string
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
  readonly values?: readonly string[] | null
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | null
  readonly matchExpressions?: readonly LabelSelectorRequirement[] | null
}

export interface EndpointSelectorPort {
  readonly name?: string | null
  /** Default TCP. */
  readonly protocol?: string | null
  /** Number, or name of a port of the Pod's containers. */
  readonly targetPort: number | string
  readonly appProtocol?: string | null
}

/**
 * Pods of its namespace whose slices are published without a Service (KEP-6116, a draft). This file is the
 * only one that reads its fields.
 */
export interface EndpointSelector {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata?: ObjectMeta
  readonly spec: {
    readonly selector: LabelSelector
    /** Default: those of the Pods' addresses. */
    readonly ipFamilies?: readonly string[] | null
    /** Default: none. */
    readonly ports?: readonly EndpointSelectorPort[] | null
  }
}

/** An EndpointSelector as a plan reads it: a Service without a cluster IP, and what selects its Pods. */
export interface SelectorService extends Service {
  readonly kind: 'EndpointSelector'
  readonly labelSelector?: LabelSelector
}

/**
 * Reads an EndpointSelector as the Service that would have the same endpoints. Annotations of Services, such
 * as those of topology hints, mean nothing on it; others stay. One with a fault keeps it: no plan is made.
 * @param isAnnotation which of its annotations stay; default none
 * @example
 * ```ts
 * const spec = { selector: { matchLabels: { app: 'web' } }, ports: [{ targetPort: 8080 }] }
 * const service = serviceOfSelector({ metadata: { name: 'web', namespace: 'shop' }, spec })
 * service.spec?.clusterIP // => 'None'
 * ```
 */
export function serviceOfSelector(
  { apiVersion, metadata, spec }: EndpointSelector,
  isAnnotation: (name: string) => boolean = () => false,
): SelectorService {
  const { selector, ports, ipFamilies } = { ...spec }
  const annotations = Object.entries(metadata?.annotations ?? {}).filter(([name]) => isAnnotation(name))
  return {
    ...(apiVersion !== undefined && { apiVersion }),
    kind: 'EndpointSelector',
    metadata: { ...metadata, annotations: Object.fromEntries(annotations) },
    ...(selector && { labelSelector: selector }),
    spec: {
      clusterIP: 'None',
      ...(!isAbsent(ipFamilies) && { ipFamilies: mapped(ipFamilies, (family) => family) }),
      ...(!isAbsent(ports) && { ports: mapped(ports, servicePort) }),
    },
  }
}

/** What is no list stays what it is, as a fault of the Service. */
const mapped = <Item, Other>(list: readonly Item[], map: (item: Item) => Other): Other[] =>
  Array.isArray(list) ? list.map(map) : (list as never)

/** Its own port is never asked for: each of these has a target port. */
function servicePort(port: EndpointSelectorPort): ServicePort {
  if (!isRecord(port)) return port as never
  const { name, protocol, targetPort, appProtocol } = port
  return {
    ...(name && { name }),
    protocol: protocol ?? 'TCP',
    port: 0,
    targetPort,
    ...(appProtocol && { appProtocol }),
  }
}

/**
 * Returns the EndpointSelector that KEP-6116 projects a Service to: of the same name, with its selector,
 * ports and families. Undefined if it has none: a Service without a selector, or an ExternalName.
 * @example
 * ```ts
 * const spec = { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 8080 }] }
 * const projection = projectionOf({ metadata: { name: 'web', namespace: 'shop', uid: 'u1' }, spec })
 * projection?.spec.selector.matchLabels // => { app: 'web' }
 * ```
 */
export function projectionOf({ metadata = {}, spec }: Service): EndpointSelector | undefined {
  const { name, namespace } = metadata
  const { type, selector, ports, ipFamilies } = { ...spec }
  if (type === 'ExternalName' || !isRecord(selector) || Object.keys(selector).length === 0) return undefined
  return {
    kind: 'EndpointSelector',
    metadata: { name, namespace, ownerReferences: [SERVICE_OWNER.referenceTo(metadata)] } as ObjectMeta,
    spec: {
      selector: { matchLabels: selector },
      ...(!isAbsent(ipFamilies) && { ipFamilies }),
      ...(!isAbsent(ports) && { ports: mapped(ports, projectedPort) }),
    },
  }
}

/** The API server gives each port of a Service a target; one without, in a file, is its own. */
function projectedPort({ name, protocol, port, targetPort, appProtocol }: ServicePort): EndpointSelectorPort {
  return {
    ...(name && { name }),
    protocol: protocol ?? 'TCP',
    targetPort: isAbsent(targetPort) || targetPort === 0 ? port : targetPort,
    ...(appProtocol && { appProtocol }),
  }
}

/**
 * Returns the uid of the Service that an EndpointSelector is the projection of: its controller, which has
 * its name. Undefined if it is none. A projection never has slices: its readers take those of the Service.
 * @example
 * ```ts
 * const owner = { apiVersion: 'v1', kind: 'Service', name: 'web', uid: 'u1', controller: true }
 * projectedUid({ metadata: { name: 'web', ownerReferences: [owner] } }) // => 'u1'
 * ```
 */
export function projectedUid({ metadata }: Pick<Service, 'metadata'>): string | undefined {
  const owners = metadata?.ownerReferences
  if (!Array.isArray(owners)) return undefined
  const { apiVersion, kind } = SERVICE_OWNER
  return owners.find(
    (owner) =>
      owner?.controller === true &&
      owner.apiVersion === apiVersion &&
      owner.kind === kind &&
      owner.name === metadata?.name,
  )?.uid
}

/**
 * Returns what a projection is of, as a text: equal for one that is as it ought to be and for that which
 * {@link projectionOf} returns, whatever the API server has filled in.
 * @example
 * ```ts
 * const spec = { selector: { app: 'web' } }
 * const projection = projectionOf({ metadata: { name: 'web', namespace: 'shop', uid: 'u1' }, spec })
 * projection && projectionText(projection) // => '["u1",[["app","web"]],[],[],[]]'
 * ```
 */
export function projectionText({ metadata, spec }: EndpointSelector): string {
  const { selector, ipFamilies, ports } = { ...spec }
  const { matchLabels, matchExpressions } = { ...selector }
  const text = ({ name, protocol, targetPort, appProtocol }: EndpointSelectorPort): unknown[] => [
    name ?? '',
    protocol ?? 'TCP',
    targetPort,
    appProtocol ?? '',
  ]
  return JSON.stringify([
    projectedUid({ metadata }),
    Object.entries(matchLabels ?? {}).sort(),
    matchExpressions ?? [],
    ipFamilies ?? [],
    mapped(ports ?? [], (port) => text({ ...port })),
  ])
}

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist']

/** Returns what of an EndpointSelector cannot be read; see objectFault(). */
export function selectorFault({ metadata, spec }: EndpointSelector): string | undefined {
  const fault = metadataFault(metadata) ?? notTextMap(metadata?.labels, 'metadata.labels')
  if (fault !== undefined) return fault
  if (!isRecord(spec)) return wrong('spec', 'an object', spec)
  const { selector, ipFamilies, ports }: Partial<EndpointSelector['spec']> = spec
  return (
    labelSelectorFault(selector) ??
    listFault(ipFamilies, 'spec.ipFamilies', notTextItem) ??
    listFault(ports, 'spec.ports', portFault)
  )
}

function labelSelectorFault(selector: unknown): string | undefined {
  if (!isRecord(selector)) return wrong('spec.selector', 'an object', selector)
  const { matchLabels, matchExpressions }: LabelSelector = selector
  const fault =
    notTextMap(matchLabels, 'spec.selector.matchLabels') ??
    listFault(matchExpressions, 'spec.selector.matchExpressions', requirementFault)
  if (fault !== undefined) return fault
  const terms = Object.keys(matchLabels ?? {}).length + (matchExpressions ?? []).length
  return terms === 0 ? 'spec.selector is empty and would match every Pod of the namespace' : undefined
}

function requirementFault(requirement: unknown, path: string): string | undefined {
  if (!isRecord(requirement)) return wrong(path, 'an object', requirement)
  const { key, operator, values } = requirement
  if (typeof key !== 'string' || key === '') return wrong(`${path}.key`, 'a label', key)
  if (!OPERATORS.includes(operator as string))
    return wrong(`${path}.operator`, OPERATORS.join(', '), operator)
  const fault = listFault(values, path, notTextItem, '.values')
  if (fault !== undefined) return fault
  const hasValues = Array.isArray(values) && values.length > 0
  const needsValues = operator === 'In' || operator === 'NotIn'
  if (hasValues === needsValues) return undefined
  return `${path}.values: ${needsValues ? 'In and NotIn need some' : 'Exists and DoesNotExist have none'}`
}

function portFault(port: unknown, path: string): string | undefined {
  if (!isRecord(port)) return wrong(path, 'an object', port)
  const { name, protocol, targetPort, appProtocol } = port
  const isTarget = typeof targetPort === 'number' || typeof targetPort === 'string'
  return (
    notText(name, path, '.name') ??
    notText(protocol, path, '.protocol') ??
    notText(appProtocol, path, '.appProtocol') ??
    (isTarget ? undefined : wrong(`${path}.targetPort`, 'a number or a name', targetPort))
  )
}
