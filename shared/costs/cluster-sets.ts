import { type CostLine, term } from './cost-line.ts'
import { COUNTS, type DeploymentSize } from './deployment-size.ts'
import type { Load } from './load.ts'
import { PRICES } from './prices.ts'
import { CALL_BYTES, GB, KEY_BYTES, MILLION_REQUESTS } from './usage.ts'

/** Size of an imported slice, and of what a sync of a changed Service reads. */
const SLICE_BYTES = 2227
const SYNC_BYTES = 4607
/** Slices that a change writes in each cluster: changes that come together share some. */
const WRITES = 0.73
/** Reads of an import that nothing is known of, and the size of each. */
const AUDIT_READS = 4.84
const READ_BYTES = 1944

/** Computes the cost of cluster sets: syncs of Services over several clusters, and their writes. */
export function clusterSetLine(
  { fleetClusters, fleetChangesPerSecond, functionMemory }: DeploymentSize,
  changes: Load,
  audit: Load,
): CostLine {
  const isUsed = fleetClusters > 0
  const calls = changes.calls + audit.calls
  const keys = changes.keys + audit.keys
  // The relay receives an event for the slice that changed, and for each that is written.
  const written = WRITES * fleetClusters * SLICE_BYTES
  const ofChange = SLICE_BYTES + SYNC_BYTES + 2 * written
  const ofAudit = AUDIT_READS * fleetClusters * READ_BYTES
  const { metricMonth, alarmMonth } = PRICES.cloudWatch
  return {
    what: 'cluster sets',
    terms: [
      term((changes.requests + audit.requests) / 1e6, 'M requests to SQS', MILLION_REQUESTS),
      term(calls / 1e6, 'M calls', PRICES.lambda.millionCalls),
      term(((changes.seconds + audit.seconds) * functionMemory) / 1024, 'GB-s', PRICES.lambda.gbSecond),
      term(GB * (calls * CALL_BYTES + keys * KEY_BYTES), 'GB of logs', PRICES.logs.gbIngested),
      term(
        GB * (changes.keys * ofChange + audit.keys * ofAudit),
        'GB to other zones or regions',
        PRICES.transfer.gb,
      ),
      term(isUsed ? COUNTS.fleetMetrics : 0, 'metrics', metricMonth),
      term(isUsed ? COUNTS.fleetAlarms : 0, 'alarms', alarmMonth),
    ],
    why: isUsed
      ? `${fleetChangesPerSecond} changes a second, each reconciled once and written to ${fleetClusters} clusters`
      : 'no cluster set',
  }
}
