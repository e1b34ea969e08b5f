import { clusterSetLine } from './cluster-sets.ts'
import { type CostLine, term } from './cost-line.ts'
import { COUNTS, type DeploymentSize, isPublic } from './deployment-size.ts'
import { type AuditLoad, auditLoad, changeLoad, fleetAuditLoad, fleetChangeLoad, type Load } from './load.ts'
import { logLines, relayLogBytes } from './logs.ts'
import { observedLines } from './observation.ts'
import { PRICES } from './prices.ts'
import { transferLines } from './transfer.ts'
import { GB, HOURS_A_MONTH, MILLION_REQUESTS, POLLERS, REQUESTS_A_BATCH, SECONDS_A_MONTH } from './usage.ts'

export interface Month {
  readonly lines: readonly (CostLine & { readonly dollars: number })[]
  readonly dollars: number
}

/** Seconds that a poll takes while nothing comes. */
const POLL_SECONDS = 20

/**
 * Computes what a deployment of this size costs a month. Costs that depend on the load are the highest that
 * there can be: each change is a message, however soon the next one of its Service comes.
 */
export function monthOf(size: DeploymentSize): Month {
  const lines = linesOf(size).map((line) => ({ ...line, dollars: dollarsOf(line) }))
  return { lines, dollars: lines.reduce((sum, { dollars }) => sum + dollars, 0) }
}

const dollarsOf = ({ terms }: CostLine): number =>
  terms.reduce((sum, { quantity, price }) => sum + quantity * price, 0)

/** Lists every item. None is left out for being 0, as the list shows what would cost something. */
function linesOf(size: DeploymentSize): CostLine[] {
  const changes = changeLoad(size)
  const audit = auditLoad(size)
  const [ofSets, auditOfSets] = [fleetChangeLoad(size), fleetAuditLoad(size)]
  const loads = [changes, audit, ofSets, auditOfSets]
  return [
    queueLine(size, changes, audit),
    functionLine(size, changes, audit),
    relayLine(size),
    ...observedLines(size, loads),
    ...logLines(size, changes, audit),
    ...transferLines(size, changes, audit),
    vpcEndpointLine(size, loads),
    keyLine(size, changes),
    recordingLine(size, changes),
    scheduleLine(audit),
    canaryLine(size),
    clusterSetLine(size, ofSets, auditOfSets),
  ]
}

function queueLine(
  { batchWindow, minimumPollers }: DeploymentSize,
  changes: Load,
  audit: AuditLoad,
): CostLine {
  const livePollers = minimumPollers > 0 ? minimumPollers : POLLERS
  const polls = ((livePollers + POLLERS) * SECONDS_A_MONTH) / POLL_SECONDS
  return {
    what: 'SQS',
    terms: [
      term(changes.requests / 1e6, 'M requests of changes', MILLION_REQUESTS),
      term(audit.requests / 1e6, 'M of the audit', MILLION_REQUESTS),
      term(polls / 1e6, 'M polls', MILLION_REQUESTS),
    ],
    why: `a request to send each key, and 2 to receive and delete up to 10; batchWindow ${batchWindow} s; ${livePollers} and ${POLLERS} pollers ask every ${POLL_SECONDS} s while nothing comes; fair queues`,
  }
}

function functionLine(size: DeploymentSize, changes: Load, audit: AuditLoad): CostLine {
  const { functionMemory, minimumPollers } = size
  const seconds = changes.seconds + audit.seconds
  return {
    what: 'Lambda',
    terms: [
      term((changes.calls + audit.calls + audit.schedules) / 1e6, 'M calls', PRICES.lambda.millionCalls),
      term((seconds * functionMemory) / 1024, 'GB-s', PRICES.lambda.gbSecond),
      term(minimumPollers * HOURS_A_MONTH, 'h of pollers', PRICES.lambda.pollerHour),
    ],
    why: `${(changes.keys / Math.max(1, changes.calls)).toFixed(1)} keys a call, 15 to 40 ms a key; functionMemory ${functionMemory} MB`,
  }
}

function relayLine(size: DeploymentSize): CostLine {
  const { relayShards, relayCpu, relayMemory } = size
  const { vcpuHour, gbHour, addressHour } = PRICES.fargate
  const hours = relayShards * HOURS_A_MONTH
  return {
    what: 'relay on Fargate',
    terms: [
      term((hours * relayCpu) / 1024, 'vCPU-h', vcpuHour),
      term((hours * relayMemory) / 1024, 'GB-h', gbHour),
      term(isPublic(size) ? hours : 0, 'h of a public address', addressHour),
    ],
    why: `relayShards ${relayShards}, relayCpu ${relayCpu}, relayMemory ${relayMemory}; ${isPublic(size) ? 'an address each' : 'no address behind a NAT gateway or with VPC endpoints'}`,
  }
}

/** Bytes of an object in the bucket, which holds what one call wrote to slices of one cluster. */
const RECORD_GB = 0.5e-6

function recordingLine({ recording, recordingRetention }: DeploymentSize, changes: Load): CostLine {
  const objects = changes.keys * recording
  const monthsKept = (recordingRetention * 24) / HOURS_A_MONTH
  return {
    what: 'recording in S3',
    terms: [
      term(objects / 1e6, 'M objects', PRICES.s3.millionWrites),
      term(objects * RECORD_GB * monthsKept, 'GB kept', PRICES.s3.gbMonth),
    ],
    why:
      recording === 0
        ? 'recording off'
        : `recording ${recording}: an object of 0.5 kB a write, kept for ${recordingRetention} days`,
  }
}

const scheduleLine = ({ schedules }: AuditLoad): CostLine => ({
  what: 'EventBridge Scheduler',
  terms: [term(schedules / 1e6, 'M calls', PRICES.scheduler.millionCalls)],
  why: 'a slot of the audit every 10 minutes',
})

/** Mean wait for the slice, which the function polls with growing pauses. */
const WAIT_SECONDS = 0.5

/** Computes the cost of the canary: one change a minute in each cluster, and its measurement. */
function canaryLine({ canary, clusters, functionMemory, tracing }: DeploymentSize): CostLine {
  const calls = canary ? SECONDS_A_MONTH / 60 : 0
  const { metricMonth, alarmMonth } = PRICES.cloudWatch
  return {
    what: 'canary',
    terms: [
      term(canary ? 1 + clusters : 0, 'metrics', metricMonth),
      term(canary ? COUNTS.canaryAlarms + COUNTS.canaryAlarmsOfCluster * clusters : 0, 'alarms', alarmMonth),
      term((calls * WAIT_SECONDS * functionMemory) / 1024, 'GB-s', PRICES.lambda.gbSecond),
      term((calls * clusters * REQUESTS_A_BATCH) / 1e6, 'M requests to SQS', MILLION_REQUESTS),
      term(tracing ? calls / 1e6 : 0, 'M traces', PRICES.xray.millionTraces),
    ],
    why: canary ? 'a change of each cluster a minute' : 'canary false',
  }
}

/** Seconds for which SQS reuses a data key, by default. */
const REUSE_SECONDS = 300
/** A sender generates and decrypts a data key; a receiver decrypts it. */
const CALLS_OF_SENDER = 2
/** Share of the objects that cause a KMS call if the bucket has a bucket key. */
const BUCKET_KEY_SHARE = 0.01

/**
 * Computes the cost of a customer managed KMS key and its calls. The calls of queues are an upper bound, by
 * AWS' formula in the developer guide of SQS, "Key management".
 */
function keyLine({ encryptionKey, relayShards, recording }: DeploymentSize, changes: Load): CostLine {
  const periods = encryptionKey ? SECONDS_A_MONTH / REUSE_SECONDS : 0
  // The relays send to both lanes; the schedule of the audit sends to one.
  const senders = 2 * relayShards + 1
  const receivers = 2
  const calls = periods * (CALLS_OF_SENDER * senders + receivers)
  const objects = encryptionKey ? changes.keys * recording * BUCKET_KEY_SHARE : 0
  const { keyMonth, millionCalls } = PRICES.kms
  return {
    what: 'KMS key',
    terms: [
      term(encryptionKey ? 1 : 0, 'key', keyMonth),
      term(calls / 1e6, 'M calls of queues', millionCalls),
      term(objects / 1e6, 'M calls of recordings', millionCalls),
    ],
    why: encryptionKey
      ? `each queue: ${CALLS_OF_SENDER} calls a sender and one a receiver in ${REUSE_SECONDS} s; ${100 * BUCKET_KEY_SHARE} % of recorded objects`
      : 'encryptionKey none',
  }
}

/** Bytes of a message to SQS, with the overhead of HTTP and TLS and the response. */
const MESSAGE_BYTES = 1500

/** Computes the cost of the VPC endpoints for AWS services, and of their traffic. */
function vpcEndpointLine(size: DeploymentSize, loads: readonly Load[]): CostLine {
  const { vpcEndpoints, zones } = size
  const { hour, gb } = PRICES.vpcEndpoint
  const messages = loads.reduce((sum, { keys }) => sum + keys, 0)
  const bytes = messages * MESSAGE_BYTES + relayLogBytes(size)
  return {
    what: 'VPC endpoints',
    terms: [
      term(vpcEndpoints * zones * HOURS_A_MONTH, 'h', hour),
      term(vpcEndpoints === 0 ? 0 : GB * bytes, 'GB', gb),
    ],
    why:
      vpcEndpoints === 0
        ? 'vpcEndpoints none'
        : `${vpcEndpoints} in ${zones} zones; messages of ${MESSAGE_BYTES / 1000} kB and the relay’s logs go through`,
  }
}
