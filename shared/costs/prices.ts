/** Date and region of {@link PRICES}. */
export const PRICES_OF = { date: '2026-07', region: 'us-east-1' } as const

/**
 * List prices in US dollars without the free tier, from the AWS price pages. Compare those of CloudWatch with
 * your region's. Every price in this project comes from here.
 */
export const PRICES = {
  sqs: {
    /** Per million requests of at most ten messages. */
    millionRequests: 0.4,
    /** Surcharge for fair queues. */
    millionFairRequests: 0.1,
  },
  lambda: {
    millionCalls: 0.2,
    /** Price on ARM. */
    gbSecond: 0.0000133334,
    /** A provisioned poller of an event source mapping. */
    pollerHour: 0.00925,
  },
  fargate: {
    /** Price on ARM. */
    vcpuHour: 0.03238,
    gbHour: 0.00356,
    /** Public IPv4 address of a task. */
    addressHour: 0.005,
  },
  cloudWatch: { metricMonth: 0.3, alarmMonth: 0.1, compositeAlarmMonth: 0.5, dashboardMonth: 3 },
  logs: {
    /** Ingestion of logs, of function logs and of flow logs alike. */
    gbIngested: 0.5,
    /** Storage of compressed logs. */
    gbMonth: 0.03,
  },
  xray: { millionTraces: 5 },
  s3: { millionWrites: 5, gbMonth: 0.023 },
  scheduler: { millionCalls: 1 },
  natGateway: { hour: 0.045, gb: 0.045 },
  /** An interface endpoint in a zone; traffic up to 1 PB. See aws.amazon.com/privatelink/pricing, 2026-05. */
  vpcEndpoint: { hour: 0.01, gb: 0.01 },
  /** A symmetric key and its calls (0.03 $ for 10,000): https://aws.amazon.com/kms/pricing, 2026-06. */
  kms: { keyMonth: 1, millionCalls: 3 },
  transfer: {
    /** To another region, or to another zone, where each side pays half. */
    gb: 0.02,
  },
} as const
