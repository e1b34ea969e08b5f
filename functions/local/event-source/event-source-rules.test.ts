import { describe, expect, it } from 'vitest'
import { assertValidMapping, DEFAULT_LIMITS, type MappingLimits } from './event-source-rules.ts'

interface Rules extends Partial<MappingLimits> {
  readonly visibilityTimeoutSeconds?: number
}

const check = ({ visibilityTimeoutSeconds = 60, ...limits }: Rules): void =>
  assertValidMapping({ ...DEFAULT_LIMITS, ...limits }, visibilityTimeoutSeconds)

describe('assertValidMapping', () => {
  it.each<Rules>([
    {},
    { batchSize: 10_000, batchWindowSeconds: 1 },
    { batchWindowSeconds: 300 },
    { maximumConcurrency: 2 },
    { maximumConcurrency: 1000 },
    { functionTimeoutSeconds: 900, visibilityTimeoutSeconds: 43_200 },
  ])('accepts %j', (rules) => {
    expect(() => check(rules)).not.toThrow()
  })

  it.each<[Rules, string]>([
    [{ batchSize: 0 }, 'batchSize must be a whole number from 1 to 10000, not 0'],
    [{ batchSize: 10_001, batchWindowSeconds: 1 }, 'batchSize must be'],
    [{ batchSize: 11 }, 'batchSize above 10 needs a batchWindowSeconds of at least 1'],
    [{ batchWindowSeconds: 0.5 }, 'batchWindowSeconds must be'],
    [{ batchWindowSeconds: 301 }, 'batchWindowSeconds must be'],
    [{ maximumConcurrency: 1 }, 'maximumConcurrency must be a whole number from 2 to 1000, not 1'],
    [{ functionTimeoutSeconds: 901, visibilityTimeoutSeconds: 1000 }, 'functionTimeoutSeconds must be'],
    [{ visibilityTimeoutSeconds: 59 }, 'at most the queue’s visibility timeout of 59 s, not 60'],
  ])('refuses %j', (rules, message) => {
    expect(() => check(rules)).toThrow(message)
  })
})
