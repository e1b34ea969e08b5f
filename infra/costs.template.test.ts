import { expect, it } from 'vitest'
import { DEFAULT_SIZE, monthOf } from '../shared/costs/index.ts'
import { type AlarmProperties, metricsRead } from './constructs/alarms/alarms.fixtures.ts'
import { EKS, emptyBundles, resourcesOf, templateOf } from './constructs/template.fixtures.ts'

const bundles = emptyBundles()
const SECONDS = 730 * 3600
/** Seconds of a sync. */
const SYNC = 0.0275

interface Mapping {
  readonly BatchSize: number
  readonly MaximumBatchingWindowInSeconds?: number
  readonly ScalingConfig?: { readonly MaximumConcurrency: number }
  readonly ProvisionedPollerConfig?: { readonly MinimumPollers: number; readonly MaximumPollers: number }
}

/** Computes calls and requests of a lane from its event source mapping. */
function laneOf(mapping: Mapping, keysPerSecond: number) {
  const { BatchSize: most, MaximumBatchingWindowInSeconds: window = 0 } = mapping
  const { ScalingConfig, ProvisionedPollerConfig: own } = mapping
  const pollers = own?.MaximumPollers ?? Math.max(5, ScalingConfig?.MaximumConcurrency ?? 5)
  const gathered = (keysPerSecond * Math.max(window, SYNC)) / pollers
  const keysOfCall = gathered < 1 ? 1 : gathered > most ? most : gathered
  const keys = keysPerSecond * SECONDS
  const receives = keys / (keysOfCall > 10 ? 10 : keysOfCall)
  return { keys, calls: keys / keysOfCall, requests: keys + receives * 2, idle: own?.MinimumPollers ?? 5 }
}

const LOAD = { clusters: 1, pods: 20_000, services: 1000 }

it.each([
  ['by default', {}, 1],
  ['in batches', { batchWindow: 2, batchSize: 50, maximumConcurrency: 8 }, 90],
  ['with sends that are more than calls', { functionMemory: 1024, relayCpu: 512, relayMemory: 2048 }, 400],
  ['with pollers of its own, and traces', { minimumPollers: 2, maximumPollers: 20, tracing: true }, 30],
  ['with logs that are kept longer', { logRetention: 90, batchWindow: 1 }, 5],
] as const)('a month is what its template says, %s', (_, settings, changesPerSecond) => {
  const template = templateOf({ bundles, clusters: [EKS], settings })
  const all = (type: string): Record<string, unknown>[] =>
    resourcesOf(template, `AWS::${type}`).map(([, { Properties }]) => Properties)
  const mappings = all('Lambda::EventSourceMapping') as unknown as Mapping[]
  const sweep = mappings.find(({ MaximumBatchingWindowInSeconds: window }) => window === 20)
  const live = mappings.find((mapping) => mapping !== sweep)
  if (live === undefined || sweep === undefined) return expect.fail('a lane has no mapping')
  const changes = laneOf(live, changesPerSecond)
  const audit = laneOf({ ...sweep, ScalingConfig: { MaximumConcurrency: 5 } }, LOAD.services / 86_400)
  const slots = SECONDS / 600
  const calls = changes.calls + audit.calls
  const keys = changes.keys + audit.keys
  const [lambda] = all('Lambda::Function')
  const [task] = all('ECS::TaskDefinition')
  const [{ RetentionInDays: days } = { RetentionInDays: 0 }] = all('Logs::LogGroup')
  const { LoggingConfig } = lambda as { LoggingConfig?: { SystemLogLevel?: string } }
  const ofCall = LoggingConfig?.SystemLogLevel === 'WARN' ? 1100 : 2000
  const gb = 1e-9 * ((calls + slots) * ofCall + keys * 450 + (SECONDS / 60) * (900 + 1450))
  const isTraced = lambda?.TracingConfig !== undefined
  const rate = calls / SECONDS
  // An alarm by cluster costs what it matches: of one cluster one metric, or none of what fails seldom.
  const priced = all('CloudWatch::Alarm').filter(
    ({ Metrics }) => !/SELECT \w+\((FailedKeys|RelayKeysRejected)\)/.test(JSON.stringify(Metrics ?? '')),
  )
  const metrics = priced.reduce(
    (count, alarm) => count + Math.max(1, metricsRead(alarm as unknown as AlarmProperties).length),
    0,
  )
  const expected = {
    SQS: (changes.requests + audit.requests + ((changes.idle + 5) * SECONDS) / 20) * 0.5e-6,
    Lambda:
      (calls + slots) * 0.2e-6 +
      keys * SYNC * (Number(lambda?.MemorySize) / 1024) * 0.0000133334 +
      (live.ProvisionedPollerConfig?.MinimumPollers ?? 0) * 730 * 0.00925,
    'relay on Fargate':
      730 * ((Number(task?.Cpu) / 1024) * 0.03238 + (Number(task?.Memory) / 1024) * 0.00356 + 0.005),
    'CloudWatch alarms': metrics * 0.1 + all('CloudWatch::CompositeAlarm').length * 0.5,
    'CloudWatch dashboard': all('CloudWatch::Dashboard').length * 3,
    'X-Ray': isTraced ? Math.min(rate, 1 + (rate - 1) / 20) * SECONDS * 5e-6 : 0,
    'CloudWatch logs': gb * 0.5 + ((gb * 0.15 * Number(days)) / (730 / 24)) * 0.03,
  }
  const { lines } = monthOf({ ...DEFAULT_SIZE, ...LOAD, ...settings, changesPerSecond })
  const modelled = Object.fromEntries(lines.map(({ what, dollars }) => [what, dollars]))
  for (const [what, dollars] of Object.entries(expected))
    expect([what, modelled[what]]).toEqual([what, expect.closeTo(dollars, 4)])
})
