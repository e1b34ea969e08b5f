import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { createAuditMetrics } from '../../functions/audit/index.ts'
import { createCanaryMetrics } from '../../functions/canary/index.ts'
import { createFunctionMetrics } from '../../functions/reconcile/metrics.ts'
import { RELAY_UP, STANDBY_PREFIX } from '../../functions/relay/metric-names.ts'
import { guardAlarms, PersistentConflictError, SliceFightError } from '../../shared/reconciler/index.ts'
import {
  createEmfMetrics,
  createRegistryEmf,
  createRelayMetrics,
  DEPLOYMENT_DIMENSION,
  EMF_NAMESPACE,
  type EmfMetrics,
} from '../../shared/telemetry/index.ts'
import { alarmsOf, metricsRead } from './alarms/alarms.fixtures.ts'
import { AUDIT_METRICS, FUNCTION_METRICS } from './metrics.ts'
import { emptyBundles, resourcesOf, templateOf } from './template.fixtures.ts'

/** Returns every metric that was written, as `Name{Cluster,Deployment}`. */
async function namesWritten(write: (metrics: EmfMetrics) => unknown): Promise<Set<string>> {
  const names = new Set<string>()
  const metrics = createEmfMetrics({
    dimensions: { [DEPLOYMENT_DIMENSION]: 'Test/Sliceflow' },
    write(line) {
      const { _aws } = JSON.parse(line)
      for (const { Dimensions, Metrics } of _aws.CloudWatchMetrics)
        for (const { Name } of Metrics) names.add(nameWith(Name, Dimensions[0]))
    },
  })
  await write(metrics)
  metrics.flush()
  return names
}

const nameWith = (name: string, dimensions: readonly string[]): string =>
  dimensions.length === 0 ? name : `${name}{${dimensions.toSorted().join()}}`

const KEY = { cluster: 'a', namespace: 'shop', service: 'web', triggerTime: '2026-11-21T12:00:00Z' }

function runFunction(emf: EmfMetrics): void {
  const metrics = createFunctionMetrics(emf, '7')
  const event = { Records: [] }
  metrics.handled('live', event, { batchItemFailures: [] })
  const guarded = { acted: { held: 1 }, isBlocked: true }
  metrics.reconciled({ key: KEY, created: 1, updated: 0, deleted: 0, attempts: 1, guarded })
  const ofAudit = { ...KEY, audit: true } as const
  metrics.reconciled({ key: ofAudit, created: 0, updated: 1, deleted: 0, attempts: 1, isFinding: true })
  const fleet = { exports: 2, imports: 2, isInConflict: true, leftOut: 0, blocked: 1 }
  metrics.reconciled({ key: KEY, created: 1, updated: 0, deleted: 0, attempts: 1, fleet })
  metrics.failed('a', new PersistentConflictError('stale'))
  metrics.failed('a', new SliceFightError('shop/web', []))
  metrics.compared({ result: 'same' })
  metrics.deadLetter('MalformedMessage')
  metrics.left('a')
  metrics.lostRecords(1)
  metrics.flush()
}

function runAudit(emf: EmfMetrics): void {
  const metrics = createAuditMetrics(emf)
  metrics.sent(7)
  metrics.failed('a')
}

function runCanary(emf: EmfMetrics): void {
  const metrics = createCanaryMetrics(emf)
  metrics.published('a', 0.2)
  metrics.failed('a')
}

async function runStandby(emf: EmfMetrics): Promise<void> {
  const registry = new Registry()
  createRelayMetrics(registry).count('standby_keys', { cluster: 'a', state: 'wrong' })
  emf.count(STANDBY_PREFIX + RELAY_UP)
  await createRegistryEmf({ registry, metrics: emf, prefix: STANDBY_PREFIX, maximumValues: 0 }).write()
}

/** Finds metrics of which nothing was counted. */
async function silentOf(registry: Registry): Promise<string[]> {
  const metrics = await registry.getMetricsAsJSON()
  return metrics.filter(({ values }) => values.length === 0).map(({ name }) => name)
}

async function runRelay(emf: EmfMetrics): Promise<void> {
  const registry = new Registry()
  const metrics = createRelayMetrics(registry)
  const watch = {
    kind: 'pods',
    secondsSinceLastByte: 1,
    secondsSinceLastBookmark: 1,
    failing: true,
    objects: 1,
  }
  const lane = { lane: 'live', pending: 1, oldestSeconds: 1 }
  const paused = ['2026-01-01T00:00:00Z']
  metrics.readFrom(() => [{ cluster: 'a', synced: true, paused, watches: [watch], lanes: [lane] }])
  for (const name of ['relists', 'reconnects', 'watch_failures', 'events', 'malformed_objects'] as const)
    metrics.count(name, { cluster: 'a', kind: 'pods' })
  for (const name of ['keys_sent', 'keys_rejected'] as const)
    metrics.count(name, { cluster: 'a', lane: 'live' })
  for (const name of ['keys_suppressed', 'checkpoint_failures'] as const)
    metrics.count(name, { cluster: 'a' })
  metrics.count('keys_swept', { cluster: 'a', reason: 'sweep' })
  metrics.count('standby_keys', { cluster: 'a', state: 'wrong' })
  metrics.count('send_errors', { lane: 'live' })
  await createRegistryEmf({ registry, metrics: emf }).write()
  expect(await silentOf(registry), 'count them here, so that the test knows of them').toEqual([])
  emf.count(RELAY_UP)
}

/** Finds every metric of ours that alarms and dashboard ask for, wherever it stands in the template. */
function namesAsked(text: string): Set<string> {
  const names = new Set<string>()
  const plain = text.replaceAll('\\"', '"').replaceAll('\\"', '"')
  for (const [, name = '', rest = ''] of plain.matchAll(
    new RegExp(`\\["${EMF_NAMESPACE}","(\\w+)"((?:,"[^"{]*","[^"{]*")*)`, 'g'),
  ))
    names.add(
      nameWith(
        name,
        [...rest.matchAll(/,"([^"]*)","[^"]*"/g)].map(([, dimension = '']) => dimension),
      ),
    )
  for (const [, dimensions = '', name = ''] of plain.matchAll(
    /\{Sliceflow,([\w,]+)\} MetricName=\\*"(\w+)\\*"/g,
  ))
    names.add(nameWith(name, dimensions.split(',')))
  return names
}

/** Finds the metrics of queries by cluster, in the same form. */
const namesQueried = (text: string): string[] =>
  [...text.matchAll(/SELECT \w+\((\w+)\) FROM SCHEMA\(\\?"Sliceflow\\?", ([\w, ]+)\)/g)].map(
    ([, name = '', dimensions = '']) => nameWith(name, dimensions.split(', ')),
  )

/** Metrics for diagnosis: neither an alarm nor the dashboard uses them. */
const UNASKED = [
  'FleetKeys',
  'Messages',
  'RelayClusterSynced',
  'RelayEvents',
  'RelayKeysSuppressed',
  'RelayKeysSwept',
  'RelayLongestPauseSeconds',
  'RelayMalformedObjects',
  'RelayPausedServices',
  'RelayObjects',
  'RelayReconnects',
  'RelaySendErrors',
  'RelayStandbyKeys',
  'RelayWatchFailures',
  'RelayWatchLastBookmarkSeconds',
  'FullSyncs',
]

const withoutDimensions = (names: Iterable<string>): Set<string> =>
  new Set([...names].map((name) => name.replace(/\{.*/, '')))

describe('the metrics of alarms and dashboard', () => {
  const clusterSets = '[{"name":"prod","clusters":[{"name":"*"}]}]'
  const template = templateOf({ bundles: emptyBundles(), settings: { clusterSets, shadow: true } })
  const withMore = templateOf({
    bundles: emptyBundles(),
    keepState: true,
    canary: true,
    settings: {
      ...{ relayStandby: true, recording: 'on', clusterSets },
      gradualDeployment: 'Canary10Percent5Minutes',
    },
  })

  it('are such as functions and relay really write, and what nothing asks for is known', async () => {
    const parts = [runFunction, runAudit, runCanary, runRelay, runStandby]
    const written = new Set((await Promise.all(parts.map(namesWritten))).flatMap((names) => [...names]))
    const [[, dashboard] = []] = resourcesOf(template, 'AWS::CloudWatch::Dashboard')
    const asked = namesAsked(JSON.stringify(dashboard?.Properties.DashboardBody))
    for (const alarm of [template, withMore].flatMap((each) => Object.values(alarmsOf(each))))
      for (const { namespace, name, dimensions } of metricsRead(alarm))
        if (namespace === EMF_NAMESPACE) asked.add(nameWith(name, Object.keys(dimensions)))
    const queried = namesQueried(JSON.stringify(withMore.toJSON()))
    expect(queried.length).toBeGreaterThan(5)
    expect([...asked, ...queried].filter((name) => !written.has(name))).toEqual([])
    const unasked = withoutDimensions(written).difference(withoutDimensions(asked))
    expect(unasked).toEqual(new Set(UNASKED))
  })

  it('are named at the functions that write them, each of which does', async () => {
    const written = await Promise.all([runFunction, runAudit].map(namesWritten))
    const names = withoutDimensions(written.flatMap((each) => [...each]))
    const ofGuards = guardAlarms().map(({ metric }) => metric)
    expect(names).toEqual(
      new Set([...Object.values(FUNCTION_METRICS), ...Object.values(AUDIT_METRICS), ...ofGuards]),
    )
  })
})
