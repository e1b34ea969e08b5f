import { type CostLine, term } from './cost-line.ts'
import { type DeploymentSize, isFoldedTogether, isPublic } from './deployment-size.ts'
import type { AuditLoad, Load } from './load.ts'
import { PRICES } from './prices.ts'
import { CALL_BYTES, GB, HOURS_A_MONTH, KEY_BYTES, SECONDS_A_MONTH } from './usage.ts'

/** The relay's metrics, once a minute: by cluster unless these are folded, and of all. */
const MINUTE_BYTES = 900
const MINUTE_BYTES_OF_CLUSTER = 1450
/** A flow that was refused: strangers try one a second at a public address. */
const FLOW_BYTES = 110
const FLOWS_PER_SECOND = 1
/** Share of the text that CloudWatch stores, as it compresses what it takes in. */
const COMPRESSED = 0.15

/** Computes what logs cost: those of functions and relay, in which metrics go as well, and flow logs. */
export function logLines(size: DeploymentSize, changes: Load, audit: AuditLoad): CostLine[] {
  const { logRetention, relayShards, natGateways } = size
  const ofCalls = (changes.calls + audit.calls + audit.schedules) * CALL_BYTES
  const ofKeys = (changes.keys + audit.keys) * KEY_BYTES
  const addresses = natGateways > 0 ? natGateways : isPublic(size) ? relayShards : 0
  const flows = addresses * FLOWS_PER_SECOND * SECONDS_A_MONTH * FLOW_BYTES
  return [
    {
      what: 'CloudWatch logs',
      terms: terms(GB * (ofCalls + ofKeys + relayLogBytes(size)), logRetention),
      why: `1.1 kB a call, ${KEY_BYTES} bytes a key, the relay’s metrics each minute; kept for ${logRetention} days`,
    },
    {
      what: 'VPC flow logs',
      terms: terms(GB * flows, logRetention),
      why: 'refused packets alone: one a second at each public address',
    },
  ]
}

/** Returns the bytes that relays log a month. */
export function relayLogBytes(size: DeploymentSize): number {
  const named = isFoldedTogether(size) ? 0 : size.clusters
  return (SECONDS_A_MONTH / 60) * (size.relayShards * MINUTE_BYTES + named * MINUTE_BYTES_OF_CLUSTER)
}

const terms = (gb: number, days: number): CostLine['terms'] => [
  term(gb, 'GB taken in', PRICES.logs.gbIngested),
  term((gb * COMPRESSED * days * 24) / HOURS_A_MONTH, 'GB kept', PRICES.logs.gbMonth),
]
