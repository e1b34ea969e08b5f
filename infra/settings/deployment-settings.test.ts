import { describe, expect, it } from 'vitest'
import { describeDeploymentSettings, parseDeploymentSettings } from './index.ts'

describe('the settings of a deployment', () => {
  it('have a default each that goes with the others', () => {
    expect(parseDeploymentSettings({})).toMatchObject({ batchWindow: 0, sweepBatchSize: 100, relayShards: 1 })
  })

  it('take numbers as text, as the context gives them', () => {
    expect(parseDeploymentSettings({ relayShards: '3', maximumConcurrency: '20' })).toMatchObject({
      relayShards: 3,
      maximumConcurrency: 20,
    })
  })

  it.each([
    [
      'a live batch above 10 without a window',
      { batchSize: 10_000 },
      /^batchSize: above 10 needs a batch window/,
    ],
    ['a sweep batch above 10 without one', { sweepBatchWindow: 0 }, /^sweepBatchSize: above 10 needs/],
    ['a concurrency of 1', { maximumConcurrency: 1 }, /^maximumConcurrency: .*2/],
    [
      'the slices of the in-tree controller for mode custom',
      { managedBy: 'endpointslice-controller.k8s.io' },
      /^managedBy: endpointslice-controller.k8s.io is the in-tree controller’s.*set mode to replace/,
    ],
    [
      'a retention below the time of all receives',
      { queueRetention: 3600 },
      /^queueRetention: 3600 s is below 4800 s/,
    ],
    [
      'a retention above that of the dead letters',
      { queueRetention: 1_209_600 },
      /^queueRetention: above 13 days/,
    ],
    [
      'an interval of half minutes',
      { sweepInterval: 90 },
      /^sweepInterval: 90 s is not a whole number of minutes/,
    ],
    [
      'memory that Fargate does not have',
      { relayMemory: 4096 },
      /^relayMemory: Fargate has no 4096 MB with 256/,
    ],
    [
      'pollers beside a concurrency',
      { minimumPollers: 2, maximumPollers: 20, maximumConcurrency: 5 },
      /^maximumConcurrency: an event source mapping with provisioned pollers has none: leave it out and bound calls by maximumPollers, or leave the pollers out$/,
    ],
    [
      'fewer pollers at most than at least',
      { minimumPollers: 20, maximumPollers: 2 },
      /^minimumPollers: 20 with maximumPollers 2: provisioned pollers need a minimum/,
    ],
    [
      'pollers without a minimum',
      { maximumPollers: 20 },
      /^minimumPollers: 0 with maximumPollers 20: .*; give both, or neither$/,
    ],
    [
      'a configuration that CodeDeploy does not have',
      { gradualDeployment: 'Canary20Percent' },
      /^gradualDeployment: "Canary20Percent" is not one of none, Canary10Percent5Minutes, /,
    ],
    ['fewer receives than throttling may take', { maxReceiveCount: 3 }, /^maxReceiveCount: /],
    ['log days that CloudWatch does not have', { logRetention: 8 }, /^logRetention: must be one of/],
  ])('refuse %s, with the reason', (_, input, problem) => {
    expect(() => parseDeploymentSettings(input as object)).toThrow(problem)
  })

  it('tell all that is wrong at once', () => {
    expect(() => parseDeploymentSettings({ maximumConcurrency: 1, relayShards: 0 })).toThrow(
      /maximumConcurrency: .*; relayShards: /,
    )
  })

  it.each([
    [{ queueRetention: 4800 }, { queueRetention: 4799 }],
    // Back-offs are longer than the time limits of a quick function.
    [
      { functionTimeout: 1, queueRetention: 3600 },
      { functionTimeout: 1, queueRetention: 3599 },
    ],
    [
      { minimumPollers: 2, maximumPollers: 2 },
      { minimumPollers: 1, maximumPollers: 2 },
    ],
    [
      { relayCpu: 256, relayMemory: 2048 },
      { relayCpu: 256, relayMemory: 1536 },
    ],
  ])('allow the last that is possible: %j, and not %j', (allowed, refused) => {
    expect(() => parseDeploymentSettings(allowed)).not.toThrow()
    expect(() => parseDeploymentSettings(refused)).toThrow()
  })

  it('are described one by one', () => {
    for (const { name, description, placeholder } of describeDeploymentSettings())
      expect([name, description.length > 20, placeholder.length > 0]).toEqual([name, true, true])
  })
})
