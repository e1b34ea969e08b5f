import {
  type Endpoint,
  type EndpointSlice,
  LABEL_MANAGED_BY,
  type Service,
} from '../../../shared/endpointslice/index.ts'
import type { SelectionMode } from './expected-selection.ts'
import {
  type AddressType,
  type ClusterState,
  type ExpectedEndpoint,
  type ExpectedOwner,
  type ExpectedSlices,
  expectedSlices,
  OF_SERVICES,
  portText,
} from './expected-slices.ts'

export interface CheckInput extends ClusterState {
  readonly services: readonly Service[]
  readonly slices: readonly EndpointSlice[]
  readonly mode: SelectionMode
  readonly managedBy: string
  /** Kind of the objects that are given as Services; default: Service. */
  readonly owner?: ExpectedOwner
  /** Default 100. */
  readonly maxEndpointsPerSlice?: number
}

/**
 * Compares the slices of one managed-by value with what they must be.
 * @returns a readable line a difference; none when everything is right
 */
export function checkSlices(input: CheckInput): string[] {
  const managed = input.slices.filter(
    (slice) => slice.metadata?.labels?.[LABEL_MANAGED_BY] === input.managedBy,
  )
  const { owner = OF_SERVICES } = input
  const byService = Map.groupBy(managed, (slice) => ownerOf(slice, owner))
  const lines: string[] = []
  for (const service of input.services) {
    const key = nameOf(service)
    const slices = byService.get(key) ?? []
    byService.delete(key)
    const expected = expectedSlices(service, input, input)
    if (expected === undefined) {
      lines.push(
        ...slices.map((slice) => `${key}: slice ${slice.metadata?.name} is not this controller's to make`),
      )
      continue
    }
    const found = checkService({
      service,
      owner,
      slices,
      expected,
      maximum: input.maxEndpointsPerSlice ?? 100,
    })
    lines.push(...found.map((line) => `${key}: ${line}`))
  }
  for (const [key, slices] of byService) {
    lines.push(
      ...slices.map((slice) => `${key}: slice ${nameOf(slice)} is of a ${owner.kind} that does not exist`),
    )
  }
  return lines
}

const nameOf = ({ metadata }: Service | EndpointSlice): string => `${metadata?.namespace}/${metadata?.name}`

const ownerOf = ({ metadata }: EndpointSlice, { nameLabel }: ExpectedOwner): string =>
  `${metadata?.namespace}/${metadata?.labels?.[nameLabel]}`

interface ServiceCheck {
  readonly service: Service
  readonly owner: ExpectedOwner
  readonly slices: readonly EndpointSlice[]
  readonly expected: ExpectedSlices
  readonly maximum: number
}

function checkService({ service, owner, slices, expected, maximum }: ServiceCheck): string[] {
  const lines: string[] = []
  for (const slice of slices) {
    const problems = [
      ...labelProblems(slice, expected.labels),
      ...ownerProblems(slice, service, owner),
      ...sizeProblems(slice, maximum),
    ]
    lines.push(...problems.map((problem) => `slice ${slice.metadata?.name} ${problem}`))
    if (!expected.endpoints.has(slice.addressType as AddressType)) {
      lines.push(`slice ${slice.metadata?.name} is ${slice.addressType}, which the Service is not`)
    }
  }
  for (const [type, endpoints] of expected.endpoints) {
    const ofType = slices.filter((slice) => slice.addressType === type)
    lines.push(...placeholderProblems(type, ofType, endpoints.length, owner))
    lines.push(...endpointProblems(type, ofType, endpoints))
  }
  return lines
}

function labelProblems(slice: EndpointSlice, expected: Readonly<Record<string, string>>): string[] {
  const actual = slice.metadata?.labels ?? {}
  const keys = new Set([...Object.keys(expected), ...Object.keys(actual)])
  return [...keys]
    .filter((key) => actual[key] !== expected[key])
    .map((key) => `has label ${key}=${actual[key]}, should be ${expected[key]}`)
}

function ownerProblems(slice: EndpointSlice, service: Service, owner: ExpectedOwner): string[] {
  const owners = slice.metadata?.ownerReferences ?? []
  const isOwned = owners.some(
    ({ apiVersion, kind, uid, controller }) =>
      apiVersion === owner.apiVersion &&
      kind === owner.kind &&
      uid === service.metadata?.uid &&
      controller === true,
  )
  return isOwned ? [] : [`is not owned by the ${owner.kind} of uid ${service.metadata?.uid}`]
}

function sizeProblems(slice: EndpointSlice, maximum: number): string[] {
  const size = slice.endpoints?.length ?? 0
  return size > maximum ? [`has ${size} endpoints, more than ${maximum}`] : []
}

/**
 * Checks that an address type without endpoints has one slice without endpoints and ports, and that otherwise
 * no slice is empty.
 */
function placeholderProblems(
  type: AddressType,
  slices: readonly EndpointSlice[],
  endpoints: number,
  { hasPlaceholder }: ExpectedOwner,
): string[] {
  const empty = slices.filter((slice) => !slice.endpoints?.length)
  if (endpoints > 0 || !hasPlaceholder) {
    return empty.map((slice) => `slice ${slice.metadata?.name} is empty and no placeholder of ${type}`)
  }
  if (empty.length !== 1) return [`${empty.length} empty ${type} slices, should be 1`]
  return empty
    .filter((slice) => slice.ports?.length)
    .map((slice) => `placeholder ${slice.metadata?.name} has ports`)
}

function endpointProblems(
  type: AddressType,
  slices: readonly EndpointSlice[],
  endpoints: readonly ExpectedEndpoint[],
): string[] {
  const lines: string[] = []
  const expected = new Map(endpoints.map(expectedText))
  const seen = new Set<string>()
  for (const { identity, text, slice } of slices.flatMap(actualTexts)) {
    const wanted = expected.get(identity)
    const where = `${type} endpoint ${identity} in slice ${slice}`
    if (seen.has(identity)) lines.push(`${where} is there twice`)
    else if (wanted === undefined) lines.push(`${where} should not be there`)
    else if (wanted !== text) lines.push(`${where} is ${text}, should be ${wanted}`)
    seen.add(identity)
  }
  const missing = [...expected].filter(([identity]) => !seen.has(identity))
  return [...lines, ...missing.map(([identity, text]) => `${type} endpoint ${identity} (${text}) is missing`)]
}

/** Writes an endpoint as text, its identity first. */
const expectedText = ({
  addresses,
  pod,
  ports,
  ...rest
}: ExpectedEndpoint): [identity: string, text: string] => [
  identityText(addresses, ports, `${pod.namespace}/${pod.name}`),
  detailText({ ...rest, targetRef: { kind: 'Pod', ...pod } }),
]

function actualTexts(slice: EndpointSlice): { identity: string; text: string; slice: string }[] {
  const ports = (slice.ports ?? []).map(portText).toSorted()
  return (slice.endpoints ?? []).map((endpoint) => {
    const { namespace, name } = endpoint.targetRef ?? {}
    return {
      identity: identityText(endpoint.addresses, ports, `${namespace}/${name}`),
      text: detailText(endpoint),
      slice: slice.metadata?.name ?? '',
    }
  })
}

const identityText = (addresses: readonly string[], ports: readonly string[], pod: string): string =>
  `${addresses.toSorted().join('+')} [${ports.join(', ')}] of ${pod}`

function detailText(endpoint: Omit<Endpoint, 'addresses' | 'hints' | 'deprecatedTopology'>): string {
  const { conditions = {}, targetRef, nodeName, zone, hostname } = endpoint
  const parts = {
    kind: targetRef?.kind,
    uid: targetRef?.uid,
    ready: conditions.ready,
    serving: conditions.serving,
    terminating: conditions.terminating,
    node: nodeName,
    zone,
    hostname,
  }
  return Object.entries(parts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
}
