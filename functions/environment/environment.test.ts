import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Settings } from '../../shared/settings/index.ts'
import { createLogger } from '../../shared/telemetry/index.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import {
  type Environment,
  EnvironmentError,
  openDeployedLog,
  openDeployedMetrics,
  readClusters,
  readLaneUrls,
  readPort,
  readSettings,
  readViewPublisherQueue,
  readViewPublisherUrls,
  VARIABLES,
  withDeploymentFile,
} from './index.ts'

const URLS = {
  SLICEFLOW_LIVE_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/1/live',
  SLICEFLOW_LIVE_DEAD_LETTERS_URL: 'https://sqs.eu-west-1.amazonaws.com/1/live-dead',
  SLICEFLOW_SWEEP_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/1/sweep',
  SLICEFLOW_SWEEP_DEAD_LETTERS_URL: 'https://sqs.eu-west-1.amazonaws.com/1/sweep-dead',
}

const reported: string[] = []
const logger = createLogger({ format: 'text', write: (line) => void reported.push(line) })
const settings = (environment: Environment): Settings => readSettings(environment, logger)

beforeEach(() => reported.splice(0))

describe('the environment of a deployment', () => {
  it('gives the settings, with defaults for those not given', () => {
    expect(readSettings({ SLICEFLOW_MAX_ENDPOINTS_PER_SLICE: '250' }, logger)).toMatchObject({
      maxEndpointsPerSlice: 250,
      managedBy: 'sliceflow.dev',
    })
  })

  it('warns of a variable that is nearly that of a setting, and goes on', () => {
    expect(settings({ SLICEFLOW_SHADOWS: 'true' }).shadow).toBe(false)
    expect(reported).toEqual([
      expect.stringContaining(
        'SLICEFLOW_SHADOWS: is not the variable of a setting; did you mean SLICEFLOW_SHADOW?',
      ),
    ])
  })

  it('opens a log of the level that it asks for', () => {
    const write = (line: string): void => void reported.push(line)
    for (const environment of [{}, { SLICEFLOW_LOG_LEVEL: 'error' }, { SLICEFLOW_LOG_LEVEL: 'debug' }]) {
      const log = openDeployedLog(environment, { write })
      log.debug({}, 'debug')
      log.info({}, 'info')
      log.error({}, 'error')
    }
    expect(reported.map((line) => JSON.parse(line).msg)).toEqual([
      'info',
      'error',
      'error',
      'debug',
      'info',
      'error',
    ])
    expect(() => openDeployedLog({ SLICEFLOW_LOG_LEVEL: 'warning' }, {})).toThrow(
      new EnvironmentError('SLICEFLOW_LOG_LEVEL: "warning" is not one of debug, info, warn, error'),
    )
  })

  it('is completed by the file beside the code, which says nothing over it', () => {
    const folder = temporaryFolder()
    const environment: Record<string, string | undefined> = { SLICEFLOW_MODE: 'replace' }
    expect(withDeploymentFile(folder, environment)).toStrictEqual({ SLICEFLOW_MODE: 'replace' })
    const file = join(folder, 'deployment.json')
    writeFileSync(file, '{"SLICEFLOW_MODE":"custom","SLICEFLOW_CLUSTERS":"[]"}')
    const completed = withDeploymentFile(folder, environment)
    expect(completed).toStrictEqual({ SLICEFLOW_MODE: 'replace', SLICEFLOW_CLUSTERS: '[]' })
    // Lambda sets more with each call.
    environment._X_AMZN_TRACE_ID = 'Root=1'
    expect(completed._X_AMZN_TRACE_ID).toBe('Root=1')
    writeFileSync(file, 'no JSON')
    expect(() => withDeploymentFile(folder, environment)).toThrow(EnvironmentError)
    expect(() => withDeploymentFile(folder, environment)).toThrow(/^cannot read .*deployment\.json: /)
  })

  it('takes none of its own variables for a misspelt setting', () => {
    const { clusters, deployment, port, recordings, ...lanes } = VARIABLES
    const own = [
      clusters,
      deployment,
      port,
      recordings,
      ...Object.values(lanes).flatMap((lane) => Object.values(lane)),
    ]
    settings(Object.fromEntries(own.map((variable) => [variable, 'x'])))
    expect(reported).toEqual([])
  })

  it('gives the queues of both lanes', () => {
    expect(readLaneUrls(URLS).sweep).toEqual({
      queue: URLS.SLICEFLOW_SWEEP_QUEUE_URL,
      deadLetters: URLS.SLICEFLOW_SWEEP_DEAD_LETTERS_URL,
    })
  })

  it('gives the queues of the view publisher, of which there are two as well', () => {
    const environment = {
      SLICEFLOW_VIEW_PUBLISHER_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/1/discover',
      SLICEFLOW_VIEW_PUBLISHER_DEAD_LETTERS_URL: 'https://sqs.eu-west-1.amazonaws.com/1/discover-dead',
    }
    expect(readViewPublisherUrls(environment)).toEqual({
      queue: environment.SLICEFLOW_VIEW_PUBLISHER_QUEUE_URL,
      deadLetters: environment.SLICEFLOW_VIEW_PUBLISHER_DEAD_LETTERS_URL,
    })
    for (const variable of Object.keys(environment))
      expect(() => readViewPublisherUrls({ ...environment, [variable]: undefined })).toThrow(
        `${variable}: must be set`,
      )
  })

  it('gives a relay the queue of the view publisher, if there is one', () => {
    const variable = 'SLICEFLOW_VIEW_PUBLISHER_QUEUE_URL'
    for (const none of [undefined, '']) expect(readViewPublisherQueue({ [variable]: none })).toBeUndefined()
    expect(readViewPublisherQueue({ [variable]: 'https://a/1/views' })).toBe('https://a/1/views')
    expect(() => readViewPublisherQueue({ [variable]: 'views' })).toThrow(
      `${variable}: "views" is not the URL`,
    )
  })

  it.each([
    [undefined, []],
    ['', []],
    ['prod', ['Deployment']],
  ])('gives metrics of the deployment "%s" the dimensions %j', (name, dimensions) => {
    const lines: string[] = []
    const environment = { SLICEFLOW_DEPLOYMENT: name }
    const metrics = openDeployedMetrics(environment, { write: (line) => lines.push(line) })
    metrics.count('Writes')
    metrics.flush()
    expect(JSON.parse(lines[0] ?? '')._aws.CloudWatchMetrics[0].Dimensions).toEqual([dimensions])
  })

  it.each([
    [undefined, 8080],
    ['', 8080],
    ['0', 0],
    ['65535', 65_535],
  ])('gives of port %s the port %i', (text, port) => {
    expect(readPort({ SLICEFLOW_PORT: text })).toBe(port)
  })

  it.each(['65536', '80.5', 'http', '0x'])('takes "%s" for no port', (text) => {
    expect(() => readPort({ SLICEFLOW_PORT: text })).toThrow(EnvironmentError)
  })

  it.each<[string, (environment: Environment) => unknown, Environment]>([
    ['settings', settings, { SLICEFLOW_MODE: 'x' }],
    ['clusters', readClusters, { SLICEFLOW_CLUSTERS: '{}' }],
  ])('says of %s that are wrong what it stumbled over, and that no retry helps', (_, read, environment) => {
    let thrown: unknown
    try {
      read(environment)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ name: 'EnvironmentError', retryable: false, cause: expect.any(Error) })
  })

  it('refuses each queue of each lane by its own variable', () => {
    for (const variable of Object.keys(URLS)) {
      for (const none of [undefined, ''])
        expect(() => readLaneUrls({ ...URLS, [variable]: none })).toThrow(`${variable}: must be set`)
      expect(() => readLaneUrls({ ...URLS, [variable]: 'x' })).toThrow(`${variable}: "x" is not the URL`)
    }
  })

  it.each<[string, (environment: Environment) => unknown, Environment, RegExp]>([
    ['a setting out of range', settings, { SLICEFLOW_MODE: 'x' }, /^SLICEFLOW_MODE: /],
    [
      'the in-tree controller’s slices without mode replace',
      settings,
      { SLICEFLOW_MANAGED_BY: 'endpointslice-controller.k8s.io' },
      /^SLICEFLOW_MANAGED_BY: .*set mode to replace/,
    ],
    ['no clusters', readClusters, {}, /^SLICEFLOW_CLUSTERS: must be set$/],
    [
      'clusters that are no list',
      readClusters,
      { SLICEFLOW_CLUSTERS: '{}' },
      /^SLICEFLOW_CLUSTERS: clusters: must be/,
    ],
    ['a port that is none', readPort, { SLICEFLOW_PORT: '-1' }, /^SLICEFLOW_PORT: "-1" is not a port/],
  ])('refuses %s by its variable', (_, read, environment, problem) => {
    expect(() => read(environment)).toThrow(EnvironmentError)
    expect(() => read(environment)).toThrow(problem)
  })
})
