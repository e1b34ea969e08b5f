export interface MappingLimits {
  /** Messages a batch at most, 1 to 10,000. Above 10 the window must be at least 1 s. */
  readonly batchSize: number
  /** Whole seconds from a batch's first message, 0 to 300; 0: what one receive brings. */
  readonly batchWindowSeconds: number
  /** Invocations at once, 2 to 1,000. */
  readonly maximumConcurrency: number
  /** Whole seconds that an invocation may take, 1 to 900, and at most the queue's visibility timeout. */
  readonly functionTimeoutSeconds: number
}

export const DEFAULT_LIMITS: MappingLimits = {
  batchSize: 10,
  batchWindowSeconds: 0,
  maximumConcurrency: 5,
  functionTimeoutSeconds: 60,
}

/** Settings that Lambda would refuse; the message names the setting and what is allowed. */
export class EventSourceMappingError extends Error {
  override readonly name = 'EventSourceMappingError'
}

/**
 * Checks the rules of Lambda's CreateEventSourceMapping for a standard queue. Throws {@link
 * EventSourceMappingError}.
 */
export function assertValidMapping(limits: MappingLimits, visibilityTimeoutSeconds: number): void {
  const { batchSize, batchWindowSeconds, maximumConcurrency, functionTimeoutSeconds } = limits
  assertWithin('batchSize', batchSize, [1, 10_000])
  assertWithin('batchWindowSeconds', batchWindowSeconds, [0, 300])
  assertWithin('maximumConcurrency', maximumConcurrency, [2, 1000])
  assertWithin('functionTimeoutSeconds', functionTimeoutSeconds, [1, 900])
  if (batchSize > 10 && batchWindowSeconds < 1) {
    throw new EventSourceMappingError('batchSize above 10 needs a batchWindowSeconds of at least 1')
  }
  if (functionTimeoutSeconds > visibilityTimeoutSeconds) {
    throw new EventSourceMappingError(
      `functionTimeoutSeconds must be at most the queue’s visibility timeout of ${visibilityTimeoutSeconds} s, not ${functionTimeoutSeconds}`,
    )
  }
}

function assertWithin(name: string, value: number, [minimum, maximum]: readonly [number, number]): void {
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return
  throw new EventSourceMappingError(
    `${name} must be a whole number from ${minimum} to ${maximum}, not ${value}`,
  )
}
