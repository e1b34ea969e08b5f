import { type CostLine, term } from './cost-line.ts'
import type { DeploymentSize } from './deployment-size.ts'
import type { Load } from './load.ts'
import { PRICES } from './prices.ts'
import { GB, HOURS_A_MONTH, SECONDS_A_MONTH } from './usage.ts'

/** Bytes of a Pod as JSON, the encoding of all reads and writes here. */
const POD_BYTES = 5000
const ENDPOINT_BYTES = 242
const SLICE_BYTES = 1640
const ENDPOINTS_A_SLICE = 100
/** Bytes of a hinted sync: the Pod and the slice's version. */
const SYNC_BYTES = 5200
/** Bytes per Pod of a full sync, with its Node. */
const FULL_SYNC_BYTES_OF_POD = 4400
/** Bytes of the names of a Service and its slices, listed four times per interval. */
const LISTED_BYTES = 7000

/** Computes the cost of traffic between clusters and deployment, and through NAT gateways. */
export function transferLines(
  { pods, services, natGateways, changesPerSecond, standby }: DeploymentSize,
  changes: Load,
  audit: Load,
): CostLine[] {
  const podsOfService = services === 0 ? 0 : pods / services
  const slice = SLICE_BYTES + ENDPOINT_BYTES * Math.min(ENDPOINTS_A_SLICE, podsOfService)
  const watched = POD_BYTES + slice
  const ofSync = SYNC_BYTES + 2 * slice
  const ofAudit = FULL_SYNC_BYTES_OF_POD * podsOfService + LISTED_BYTES
  const watchedGb = GB * changesPerSecond * SECONDS_A_MONTH * watched
  const changesGb = watchedGb + GB * changes.keys * ofSync
  const auditGb = GB * audit.keys * ofAudit
  const hours = natGateways * HOURS_A_MONTH
  const { gb } = PRICES.transfer
  const { hour, gb: gbThrough } = PRICES.natGateway
  return [
    {
      what: 'transfer of changes',
      terms: [term(changesGb, 'GB', gb)],
      why: standby
        ? `${kB(watched)} a change: the relay watches Pod and slice, in another region`
        : `${kB(watched + ofSync)} a change: the relay watches Pod and slice, a reconcile reads ${kB(SYNC_BYTES)} and writes a slice; to another zone or region`,
    },
    {
      what: 'transfer of the audit',
      terms: [term(auditGb, 'GB', gb)],
      why: `${kB(ofAudit)} a Service: its Pods with their Nodes, and lists of names; to another zone or region`,
    },
    {
      what: 'NAT gateways',
      terms: [
        term(hours, 'h', hour),
        term(hours, 'h of an address', PRICES.fargate.addressHour),
        term(natGateways === 0 ? 0 : watchedGb, 'GB', gbThrough),
      ],
      why:
        natGateways === 0 ? 'natGateways 0' : 'with an address each; the relay’s watch traffic goes through',
    },
  ]
}

const kB = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`
