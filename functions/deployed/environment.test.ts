import { describe, expect, it } from 'vitest'
import {
  type Environment,
  EnvironmentError,
  readClusters,
  readLaneUrls,
  readPort,
  readSettings,
} from './index.ts'

const URLS = {
  SLICEFLOW_LIVE_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/1/live',
  SLICEFLOW_LIVE_DEAD_LETTERS_URL: 'https://sqs.eu-west-1.amazonaws.com/1/live-dead',
  SLICEFLOW_SWEEP_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/1/sweep',
  SLICEFLOW_SWEEP_DEAD_LETTERS_URL: 'https://sqs.eu-west-1.amazonaws.com/1/sweep-dead',
}

describe('the environment of a deployment', () => {
  it('gives the settings, with defaults for those not given', () => {
    expect(readSettings({ SLICEFLOW_MAX_ENDPOINTS_PER_SLICE: '250' })).toMatchObject({
      maxEndpointsPerSlice: 250,
      managedBy: 'sliceflow.dev',
    })
  })

  it('gives the queues of both lanes', () => {
    expect(readLaneUrls(URLS).sweep).toEqual({
      queue: URLS.SLICEFLOW_SWEEP_QUEUE_URL,
      deadLetters: URLS.SLICEFLOW_SWEEP_DEAD_LETTERS_URL,
    })
  })

  it.each<[string, (environment: Environment) => unknown, Environment, RegExp]>([
    ['a setting out of range', readSettings, { SLICEFLOW_MODE: 'x' }, /^SLICEFLOW_MODE: /],
    ['no clusters', readClusters, {}, /^SLICEFLOW_CLUSTERS: must be set$/],
    [
      'clusters that are no list',
      readClusters,
      { SLICEFLOW_CLUSTERS: '{}' },
      /^SLICEFLOW_CLUSTERS: clusters: must be/,
    ],
    [
      'no queue',
      readLaneUrls,
      { ...URLS, SLICEFLOW_SWEEP_QUEUE_URL: '' },
      /^SLICEFLOW_SWEEP_QUEUE_URL: must be set$/,
    ],
    [
      'a queue that is no URL',
      readLaneUrls,
      { ...URLS, SLICEFLOW_LIVE_QUEUE_URL: 'live' },
      /^SLICEFLOW_LIVE_QUEUE_URL: "live" is not/,
    ],
    ['a port that is none', readPort, { SLICEFLOW_PORT: '-1' }, /^SLICEFLOW_PORT: "-1" is not a port/],
  ])('refuses %s by its variable', (_, read, environment, problem) => {
    expect(() => read(environment)).toThrow(EnvironmentError)
    expect(() => read(environment)).toThrow(problem)
  })
})
