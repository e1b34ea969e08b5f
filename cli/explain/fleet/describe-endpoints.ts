import { conditionsText, tableWithNotes } from '../../terminal/index.ts'
import type { Arrival, ArrivalOutcome, FleetEndpoint, FleetReport } from './report.ts'

const HEADER = ['CLUSTER', 'NAME', 'ADDRESSES', 'ZONE', 'CONDITIONS', 'ARRIVES IN']

/** Writes a line for each endpoint, and below it where it does not arrive, and why. */
export function describeFleetEndpoints({ endpoints }: FleetReport): string[] {
  const rows = endpoints.map((endpoint) => ({ cells: cellsOf(endpoint), notes: notesOf(endpoint) }))
  return [titleOf(endpoints), ...tableWithNotes(HEADER, rows)]
}

function titleOf(endpoints: readonly FleetEndpoint[]): string {
  const arrivals = endpoints.map((endpoint) => endpoint.arrivals.map(({ outcome }) => outcome))
  const everywhere = arrivals.filter(
    (all) => all.length > 0 && all.every((one) => one === 'Published'),
  ).length
  const nowhere = arrivals.filter((all) => all.every((one) => one === 'LeftOut')).length
  const some = endpoints.length - everywhere - nowhere
  return `Endpoints: ${everywhere} in every importing cluster, ${some} in some or on their way, ${nowhere} in none`
}

function cellsOf(endpoint: FleetEndpoint): string[] {
  const { cluster, name, addresses, zone = '-', arrivals } = endpoint
  const there = arrivals.filter(({ outcome }) => outcome === 'Published')
  const all = there.length === arrivals.length && arrivals.length > 2
  const places = all ? `all ${arrivals.length}` : there.map((arrival) => arrival.cluster).join(', ')
  return [cluster, name, addresses.join(','), zone, conditionsText(endpoint), places || 'none']
}

const OUTCOMES: Readonly<Record<ArrivalOutcome, string>> = {
  Published: 'in',
  Pending: 'to be written in',
  Leaving: 'to be taken out of',
  LeftOut: 'not in',
}

/** Puts clusters where the same is so, for the same reasons, into one line. */
function notesOf({ ready, arrivals, leftOut }: FleetEndpoint): string[] {
  if (leftOut !== undefined && arrivals.every(({ outcome }) => outcome === 'LeftOut'))
    return [leftOut.message]
  const notable = arrivals.filter(({ outcome, reasons }) => outcome !== 'Published' || reasons.length > 0)
  const same = Map.groupBy(notable, ({ outcome, reasons }) => JSON.stringify([outcome, reasons]))
  return [
    ...(ready ? [] : ['it is not ready in its own cluster: it arrives as such, and gets no connections']),
    ...[...same.values()].map(noteOf),
  ]
}

function noteOf(same: readonly Arrival[]): string {
  const [{ outcome, reasons } = { outcome: 'LeftOut', reasons: [] } as const] = same
  const where = `${OUTCOMES[outcome]} ${same.map(({ cluster }) => cluster).join(', ')}`
  return reasons.length === 0 ? where : `${where}: ${reasons.join('; ')}`
}
