import { PRICES } from './prices.ts'

export const HOURS_A_MONTH = 730
export const SECONDS_A_MONTH = HOURS_A_MONTH * 3600
/** GB of a byte. */
export const GB = 1e-9

/** Messages a call of the function at most, by default. */
export const BATCH_SIZE = 10
/** Memory of the function, in GB, by default. */
export const FUNCTION_GB = 0.5
/** Shortest and longest duration of a sync, in milliseconds, uniformly distributed. */
export const SYNC_MS = [15, 40] as const
/** A message is sent, received and deleted; each request may have ten of them. */
export const REQUESTS_A_BATCH = 3

/** A request to the queues, which are fair ones. */
export const MILLION_REQUESTS = PRICES.sqs.millionRequests + PRICES.sqs.millionFairRequests

/** Lines of a call in the logs: its own and its metrics. Lambda's own are written of failures alone. */
export const CALL_BYTES = 1100
/** The line of a key. */
export const KEY_BYTES = 450
/** Pollers of a lane at first, while no others are provisioned. */
export const POLLERS = 5
/** Calls at once of a provisioned poller. */
export const CALLS_A_POLLER = 10

/** Computes what a month of messages and calls costs, in US dollars. */
export function usageDollars({ batches, gbSeconds }: { batches: number; gbSeconds: number }): number {
  return (
    ((REQUESTS_A_BATCH * batches) / 1e6) * MILLION_REQUESTS +
    (batches / 1e6) * PRICES.lambda.millionCalls +
    gbSeconds * PRICES.lambda.gbSecond
  )
}

/** Work of a time, by what is paid for. */
interface MeasuredUsage {
  readonly seconds: number
  readonly messages: number
  readonly batches: number
  readonly queueRequests: number
  readonly gbSeconds: number
}

/**
 * Computes what a month at this rate costs in US dollars: requests to the queue, calls of the function and
 * their lines in the logs. Everything else costs the same, however messages are gathered; traces, which are
 * off by default, are not in it.
 */
export function measuredDollars({
  seconds,
  messages,
  batches,
  queueRequests,
  gbSeconds,
}: MeasuredUsage): number {
  if (seconds === 0) return 0
  const months = seconds / SECONDS_A_MONTH
  const dollars =
    (queueRequests / 1e6) * MILLION_REQUESTS +
    (batches / 1e6) * PRICES.lambda.millionCalls +
    gbSeconds * PRICES.lambda.gbSecond +
    GB * (batches * CALL_BYTES + messages * KEY_BYTES) * PRICES.logs.gbIngested
  return dollars / months
}

/** Computes what tasks of this size cost a month, in US dollars. */
export const taskDollars = (tasks: number, vcpus: number, gb: number): number =>
  tasks *
  HOURS_A_MONTH *
  (vcpus * PRICES.fargate.vcpuHour + gb * PRICES.fargate.gbHour + PRICES.fargate.addressHour)
