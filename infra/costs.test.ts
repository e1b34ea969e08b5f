import { readFile, writeFile } from 'node:fs/promises'
import type { Template } from 'aws-cdk-lib/assertions'
import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { createAuditMetrics } from '../functions/audit/index.ts'
import { createCanaryMetrics } from '../functions/canary/index.ts'
import { createFunctionMetrics } from '../functions/reconcile/metrics.ts'
import { RELAY_UP } from '../functions/relay/metric-names.ts'
import { COUNTS, DEFAULT_SIZE } from '../shared/costs/index.ts'
import {
  createEmfMetrics,
  createRegistryEmf,
  createRelayMetrics,
  type EmfMetrics,
} from '../shared/telemetry/index.ts'
import { type AlarmProperties, metricsRead } from './constructs/alarms/alarms.fixtures.ts'
import { parseDeploymentSettings } from './constructs/index.ts'
import { emptyBundles, type Resource, resourcesOf, templateOf } from './constructs/template.fixtures.ts'
import { costsTable } from './costs.fixtures.ts'

const README = new URL('README.md', import.meta.url)
const MARKED = /(<!-- costs: [^>]*-->\n)[\s\S]*?(<!-- \/costs -->)/
const KINDS = ['services', 'pods', 'nodes', 'slices']
const LANES = ['live', 'sweep'] as const

/** Counts what a relay counts while nothing fails. */
async function runRelay(emf: EmfMetrics, clusters: readonly string[]): Promise<void> {
  const registry = new Registry()
  const metrics = createRelayMetrics(registry)
  const watches = KINDS.map((kind) => ({
    kind,
    secondsSinceLastByte: 1,
    secondsSinceLastBookmark: 1,
    failing: false,
    objects: 1,
  }))
  const lanes = LANES.map((lane) => ({ lane, pending: 0, oldestSeconds: 0 }))
  metrics.readFrom(() => clusters.map((cluster) => ({ cluster, synced: true, watches, lanes })))
  for (const cluster of clusters) {
    for (const lane of LANES) metrics.count('keys_sent', { cluster, lane })
    for (const kind of KINDS)
      for (const name of ['events', 'reconnects'] as const) metrics.count(name, { cluster, kind })
    metrics.count('keys_swept', { cluster, reason: 'sweep' })
  }
  await createRegistryEmf({ registry, metrics: emf }).write()
  emf.count(RELAY_UP)
}

/** Counts what functions count while nothing fails. */
function runFunctions(emf: EmfMetrics, hasSets: boolean): void {
  const metrics = createFunctionMetrics(emf)
  for (const lane of LANES) metrics.handled(lane, { Records: [] }, { batchItemFailures: [] })
  const key = { cluster: 'a', namespace: 'shop', service: 'web', triggerTime: '2026-11-21T12:00:00Z' }
  const looked = { created: 0, updated: 1, deleted: 0, attempts: 1 }
  metrics.reconciled({ key, ...looked })
  metrics.reconciled({ key: { ...key, audit: true }, ...looked })
  const fleet = { exports: 1, imports: 2, leftOut: 0, blocked: 0, isInConflict: false }
  if (hasSets) metrics.reconciled({ key, ...looked, fleet })
  createAuditMetrics(emf).sent(1)
}

/** Counts the metrics in CloudWatch for this number of clusters. */
async function metricsWritten(clusters: number, hasSets = false): Promise<number> {
  const series = new Set<string>()
  const emf = createEmfMetrics({
    write(line) {
      const values = JSON.parse(line)
      for (const { Dimensions, Metrics } of values._aws.CloudWatchMetrics)
        for (const { Name } of Metrics)
          series.add(JSON.stringify([Name, ...Dimensions[0].map((name: string) => values[name])]))
    },
  })
  await runRelay(
    emf,
    Array.from({ length: clusters }, (_, index) => `c${index}`),
  )
  runFunctions(emf, hasSets)
  emf.flush()
  return series.size
}

/** Returns the metric of an alarm by cluster, which is paid for each metric that it matches. */
function metricOfQuery({ Properties }: Resource): string | undefined {
  const [, name] = /"SELECT \w+\((\w+)\)/.exec(JSON.stringify(Properties.Metrics ?? '')) ?? []
  return name
}

describe('what a deployment costs', () => {
  const bundles = emptyBundles()
  const [plain, withCanary] = [{}, { canary: true }].map((props) => templateOf({ bundles, ...props }))

  it('counts the alarms and the dashboard that it has', () => {
    const [withSets, standby] = [{ fleet: {} }, { standby: true }].map((props) =>
      templateOf({ bundles, ...props }),
    )
    const made = (type: string): number => resourcesOf(plain as Template, `AWS::CloudWatch::${type}`).length
    // Each metric of an alarm is paid as one.
    const alarms = (template = plain): number =>
      resourcesOf(template as Template, 'AWS::CloudWatch::Alarm')
        .filter(([, resource]) => metricOfQuery(resource) === undefined)
        .flatMap(([, { Properties }]) => metricsRead(Properties as unknown as AlarmProperties)).length
    expect([alarms(), made('CompositeAlarm'), made('Dashboard')]).toEqual([
      COUNTS.alarms,
      COUNTS.compositeAlarms,
      COUNTS.dashboards,
    ])
    expect(alarms(withCanary)).toBe(COUNTS.alarms + COUNTS.canaryAlarms)
    expect(alarms(standby)).toBe(COUNTS.alarms + COUNTS.standbyAlarms)
    expect(alarms(withSets)).toBe(COUNTS.alarms + COUNTS.fleetAlarms)
  })

  it('counts the metrics of each cluster that alarms by cluster match while nothing fails', async () => {
    const written = new Set<string>()
    const emf = createEmfMetrics({
      write(line) {
        const { Cluster, _aws } = JSON.parse(line)
        for (const { Metrics } of _aws.CloudWatchMetrics)
          for (const { Name } of Cluster === 'c0' ? Metrics : []) written.add(Name)
      },
    })
    await runRelay(emf, ['c0', 'c1'])
    runFunctions(emf, false)
    createCanaryMetrics(emf).published('c0', 1)
    emf.flush()
    const matched = (template?: Template): number =>
      resourcesOf(template as Template, 'AWS::CloudWatch::Alarm').filter(([, resource]) =>
        written.has(metricOfQuery(resource) ?? ''),
      ).length
    expect(matched(plain)).toBe(COUNTS.alarmsOfCluster)
    expect(matched(withCanary)).toBe(COUNTS.alarmsOfCluster + COUNTS.canaryAlarmsOfCluster)
  })

  it.each([1, 5, COUNTS.mostClustersAlone])('counts the metrics of %i clusters', async (clusters) => {
    expect(await metricsWritten(clusters)).toBe(COUNTS.metrics + COUNTS.metricsOfCluster * clusters)
  })

  it('counts the metrics of cluster sets', async () => {
    expect(await metricsWritten(5, true)).toBe((await metricsWritten(5)) + COUNTS.fleetMetrics)
  })

  it('counts the metrics of clusters that are folded together', async () => {
    expect(await metricsWritten(COUNTS.mostClustersAlone + 1)).toBe(COUNTS.metricsFolded)
  })

  it('goes by the default settings of a deployment', () => {
    const settings = parseDeploymentSettings({})
    const { recording, ...others } = DEFAULT_SIZE
    const both = Object.entries(others).filter(([name]) => name in settings)
    expect(both.length).toBeGreaterThan(5)
    expect(settings).toMatchObject({ ...Object.fromEntries(both), recording: 'off' })
    expect(recording).toBe(0)
  })

  it('is in the README as the model has it; UPDATE=1 writes it there', async () => {
    const text = await readFile(README, 'utf8')
    const right = text.replace(MARKED, (_, begin: string, end: string) => `${begin}${costsTable()}\n${end}`)
    if (process.env.UPDATE === '1') await writeFile(README, right)
    else expect(text).toBe(right)
  })
})
