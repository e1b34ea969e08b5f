/**
 * Endings of the stack's outputs that name its queues. Before the ending comes the path of the construct,
 * such as `Sliceflow` in `SliceflowLiveQueueUrl`.
 */
export const STACK_OUTPUTS = {
  live: { queue: 'LiveQueueUrl', deadLetters: 'LiveDeadLettersUrl' },
  sweep: { queue: 'SweepQueueUrl', deadLetters: 'SweepDeadLettersUrl' },
  viewPublisher: { queue: 'ViewPublisherQueueUrl', deadLetters: 'ViewPublisherDeadLettersUrl' },
} as const
