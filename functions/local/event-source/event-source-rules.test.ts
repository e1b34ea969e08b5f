import { describe, expect, it } from 'vitest'
import { assertValidMapping, type MappingRules } from './event-source-rules.ts'

const valid: MappingRules = {
  batchSize: 10,
  batchWindowSeconds: 0,
  maximumConcurrency: 2,
  functionTimeoutSeconds: 60,
  visibilityTimeoutSeconds: 60,
}

describe('assertValidMapping', () => {
  it.each<Partial<MappingRules>>([
    {},
    { batchSize: 10_000, batchWindowSeconds: 1 },
    { batchWindowSeconds: 300 },
    { maximumConcurrency: 1000 },
    { functionTimeoutSeconds: 900, visibilityTimeoutSeconds: 43_200 },
  ])('accepts %j', (rules) => {
    expect(() => assertValidMapping({ ...valid, ...rules })).not.toThrow()
  })

  it.each<[Partial<MappingRules>, string]>([
    [{ batchSize: 0 }, 'batchSize must be a whole number from 1 to 10000, not 0'],
    [{ batchSize: 10_001, batchWindowSeconds: 1 }, 'batchSize must be'],
    [{ batchSize: 11 }, 'batchSize above 10 needs a batchWindowSeconds of at least 1'],
    [{ batchWindowSeconds: 0.5 }, 'batchWindowSeconds must be'],
    [{ batchWindowSeconds: 301 }, 'batchWindowSeconds must be'],
    [{ maximumConcurrency: 1 }, 'maximumConcurrency must be a whole number from 2 to 1000, not 1'],
    [{ functionTimeoutSeconds: 901, visibilityTimeoutSeconds: 1000 }, 'functionTimeoutSeconds must be'],
    [{ visibilityTimeoutSeconds: 59 }, 'at most the queue’s visibility timeout of 59 s, not 60'],
  ])('refuses %j', (rules, message) => {
    expect(() => assertValidMapping({ ...valid, ...rules })).toThrow(message)
  })
})
