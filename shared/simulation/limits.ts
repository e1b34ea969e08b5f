/** Limits of the AWS services below Sliceflow, as of November 2026. */
export const LIMITS = {
  /**
   * Messages of a standard queue that are received and not yet deleted: Amazon SQS Developer Guide, "quotas".
   */
  sqsInFlight: 120_000,
  /** Concurrent executions per account and region, by default: AWS Lambda Developer Guide, "quotas". */
  lambdaConcurrency: 1000,
  /** Memory of the largest task, in GB: Amazon ECS Developer Guide, "Fargate task CPU and memory". */
  taskGb: 120,
} as const
