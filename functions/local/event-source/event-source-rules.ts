export interface MappingRules {
  readonly batchSize: number
  readonly batchWindowSeconds: number
  readonly maximumConcurrency: number
  readonly functionTimeoutSeconds: number
  readonly visibilityTimeoutSeconds: number
}

/** Settings that Lambda would refuse; the message names the setting and what is allowed. */
export class EventSourceMappingError extends Error {
  override readonly name = 'EventSourceMappingError'
}

/**
 * Checks the rules of Lambda's CreateEventSourceMapping for a standard queue. Throws {@link
 * EventSourceMappingError}.
 */
export function assertValidMapping(rules: MappingRules): void {
  const { batchSize, batchWindowSeconds, functionTimeoutSeconds, visibilityTimeoutSeconds } = rules
  assertWithin('batchSize', batchSize, [1, 10_000])
  assertWithin('batchWindowSeconds', batchWindowSeconds, [0, 300])
  assertWithin('maximumConcurrency', rules.maximumConcurrency, [2, 1000])
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
