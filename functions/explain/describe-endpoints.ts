import type { EndpointExplanation, EndpointPlacement } from '../../shared/endpointslice/index.ts'
import type { ServiceReport } from './report.ts'
import { columns } from './text.ts'

const OUTCOMES = { Published: 'published', Pending: 'pending', LeftOut: 'left out' } as const
const HEADER = ['NAME', 'STATE', 'NODE', 'ZONE', 'ADDRESSES', 'CONDITIONS', 'SLICES']

/** Writes a line for each endpoint and address type, and its notes below it. */
export function describeEndpoints({
  endpoints,
  managedBy,
  management,
  namespace,
  source,
}: ServiceReport): string[] {
  if (endpoints.length === 0) return []
  const planner = management.plannedFor ?? managedBy
  const areOfSeveral = source?.clusters !== undefined
  const rows = endpoints.map((endpoint) => rowsOf(endpoint, { planner, namespace, areOfSeveral }))
  const lines = columns([HEADER, ...rows.flat()], '  ')
  const out = [lines[0] ?? '']
  let next = 1
  for (const [index, { reasons }] of endpoints.entries()) {
    const end = next + (rows[index]?.length ?? 0)
    out.push(...lines.slice(next, end), ...reasons.map(({ message }) => `      ${message}`))
    next = end
  }
  return out
}

interface RowContext {
  readonly planner: string
  readonly namespace: string
  /** Whether the Pods are of several clusters, so that each names its cluster. */
  readonly areOfSeveral: boolean
}

function rowsOf(endpoint: EndpointExplanation, context: RowContext): string[][] {
  const { kind, outcome, nodeName = '-', zone = '-', published } = endpoint
  const isOwn = kind === 'Address' || endpoint.namespace === context.namespace
  const place = context.areOfSeveral ? `${endpoint.cluster ?? '-'}: ` : ''
  const name = place + (isOwn ? endpoint.name : `${endpoint.namespace}/${endpoint.name}`)
  if (published.length === 0) return [[name, OUTCOMES[outcome], nodeName, zone, '-', '-', '-']]
  return published.map((placement, index) => [
    ...(index === 0 ? [name, OUTCOMES[outcome], nodeName, zone] : ['', '', '', '']),
    placement.addresses.join(','),
    conditionsOf(placement),
    slicesOf(placement, context.planner),
  ])
}

const conditionsOf = ({ ready, serving, terminating }: EndpointPlacement): string =>
  [
    ready ? 'ready' : 'not ready',
    ...(serving ? ['serving'] : []),
    ...(terminating ? ['terminating'] : []),
  ].join(', ')

/** Names the slice that has the endpoint, and the planned one if that is another. */
function slicesOf({ slices, plannedSlice }: EndpointPlacement, planner: string): string {
  const names = slices.map(({ name, managedBy }) =>
    managedBy === planner ? name : `${name} (${managedBy || 'no manager'})`,
  )
  const isThere = slices.some(({ name }) => name === plannedSlice)
  return [...names, ...(plannedSlice === undefined || isThere ? [] : [`→ ${plannedSlice}`])].join(', ') || '-'
}
