/**
 * What the outputs of a deployment's stack end with that name its queues: before it is the path of the
 * construct, as `Sliceflow` in `SliceflowLiveQueueUrl`.
 */
export const STACK_OUTPUTS = {
  live: { queue: 'LiveQueueUrl', deadLetters: 'LiveDeadLettersUrl' },
  sweep: { queue: 'SweepQueueUrl', deadLetters: 'SweepDeadLettersUrl' },
  discover: { queue: 'DiscoverQueueUrl', deadLetters: 'DiscoverDeadLettersUrl' },
} as const
