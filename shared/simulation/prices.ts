/**
 * List prices in US dollars, us-east-1, mid-2026, without the free tier, from the AWS price pages; those of
 * CloudWatch are to be checked against your region's. Whoever tells a price in this project takes it from
 * here.
 */
export const PRICES = {
  sqs: {
    /** A million requests; of at most ten messages each. */
    millionRequests: 0.4,
    /** On top of that with fair queues. */
    millionFairRequests: 0.1,
  },
  lambda: {
    millionCalls: 0.2,
    /** On ARM. */
    gbSecond: 0.0000133334,
  },
  fargate: {
    /** On ARM. */
    vcpuHour: 0.03238,
    gbHour: 0.00356,
    /** The public IPv4 address of a task. */
    addressHour: 0.005,
  },
  cloudWatch: { metricMonth: 0.3, alarmMonth: 0.1, dashboardMonth: 3 },
} as const

export const HOURS_A_MONTH = 730
export const SECONDS_A_MONTH = HOURS_A_MONTH * 3600

/**
 * What a month of messages and calls costs, in US dollars; each batch is sent, received and deleted in a
 * request each.
 */
export function usageDollars({ batches, gbSeconds }: { batches: number; gbSeconds: number }): number {
  const { sqs, lambda } = PRICES
  const requests = 3 * batches
  return (
    (requests / 1e6) * (sqs.millionRequests + sqs.millionFairRequests) +
    (batches / 1e6) * lambda.millionCalls +
    gbSeconds * lambda.gbSecond
  )
}

/** What tasks of this size cost a month, in US dollars. */
export const taskDollars = (tasks: number, vcpus: number, gb: number): number =>
  tasks *
  HOURS_A_MONTH *
  (vcpus * PRICES.fargate.vcpuHour + gb * PRICES.fargate.gbHour + PRICES.fargate.addressHour)
