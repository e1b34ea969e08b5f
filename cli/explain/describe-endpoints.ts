import type { EndpointExplanation, EndpointPlacement } from '../../shared/endpointslice/index.ts'
import { conditionsText, type Row, tableWithNotes } from '../terminal/index.ts'
import type { ServiceReport } from './report.ts'

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
  return tableWithNotes(
    HEADER,
    endpoints.flatMap((endpoint) => rowsOf(endpoint, { planner, namespace, areOfSeveral })),
  )
}

interface RowContext {
  readonly planner: string
  readonly namespace: string
  /** Whether the Pods are of several clusters, so that each names its cluster. */
  readonly areOfSeveral: boolean
}

function rowsOf(endpoint: EndpointExplanation, context: RowContext): Row[] {
  const notes = endpoint.reasons.map(({ message }) => message)
  const { kind, outcome, nodeName = '-', zone = '-', published } = endpoint
  const isOwn = kind === 'Address' || endpoint.namespace === context.namespace
  const place = context.areOfSeveral ? `${endpoint.cluster ?? '-'}: ` : ''
  const name = place + (isOwn ? endpoint.name : `${endpoint.namespace}/${endpoint.name}`)
  const first = [name, OUTCOMES[outcome], nodeName, zone]
  if (published.length === 0) return [{ cells: [...first, '-', '-', '-'], notes }]
  return published.map((placement, index) => ({
    cells: [
      ...(index === 0 ? first : ['', '', '', '']),
      placement.addresses.join(','),
      conditionsText(placement),
      slicesOf(placement, context.planner),
    ],
    notes: index === published.length - 1 ? notes : [],
  }))
}

/** Names the slice that has the endpoint, and the planned one if that is another. */
function slicesOf({ slices, plannedSlice }: EndpointPlacement, planner: string): string {
  const names = slices.map(({ name, managedBy }) =>
    managedBy === planner ? name : `${name} (${managedBy || 'no manager'})`,
  )
  const isThere = slices.some(({ name }) => name === plannedSlice)
  return [...names, ...(plannedSlice === undefined || isThere ? [] : [`→ ${plannedSlice}`])].join(', ') || '-'
}
