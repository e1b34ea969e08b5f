import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { SliceFightError } from '../../functions/reconcile/guards/index.ts'
import { PersistentConflictError } from '../../functions/reconcile/index.ts'
import { createFunctionMetrics } from '../../functions/reconcile/metrics.ts'
import { RELAY_UP } from '../../functions/relay/deployed.ts'
import {
  createEmfMetrics,
  createRegistryEmf,
  createRelayMetrics,
  EMF_NAMESPACE,
  type EmfMetrics,
} from '../../shared/telemetry/index.ts'
import { emptyBundles, resourcesOf, templateOf } from './template.fixtures.ts'

/** `Name` of every metric that was written, and `Name{Cluster}` where it has dimensions. */
async function namesWritten(write: (metrics: EmfMetrics) => unknown): Promise<Set<string>> {
  const names = new Set<string>()
  const metrics = createEmfMetrics({
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
  const metrics = createFunctionMetrics(emf)
  const event = { Records: [] }
  metrics.handled('live', event, { batchItemFailures: [] })
  const guarded = { isHeld: true, postponed: 0, refusedAddresses: 0 }
  metrics.reconciled({ key: KEY, created: 1, updated: 0, deleted: 0, attempts: 1, guarded })
  metrics.failed('a', new PersistentConflictError('stale'))
  metrics.failed('a', new SliceFightError('shop/web', []))
  metrics.compared({ result: 'same' })
  metrics.deadLetter('MalformedMessage')
  metrics.left('a')
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
  metrics.readFrom(() => [{ cluster: 'a', synced: true, watches: [watch], lanes: [lane] }])
  metrics.count('keys_sent', { cluster: 'a', lane: 'live' })
  metrics.count('relists', { cluster: 'a', kind: 'pods' })
  emf.count(RELAY_UP)
  await createRegistryEmf({ registry, metrics: emf }).write()
}

/** Every metric of ours that alarms and dashboard ask for, wherever it stands in the template. */
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

interface MetricOfAlarm {
  readonly Namespace?: string
  readonly MetricName?: string
  readonly Metrics?: readonly { readonly MetricStat?: { readonly Metric: MetricOfAlarm } }[]
}

describe('the metrics of alarms and dashboard', () => {
  const template = templateOf({ bundles: emptyBundles(), settings: { shadow: true } })

  it('are such as functions and relay really write', async () => {
    const written = new Set([...(await namesWritten(runFunction)), ...(await namesWritten(runRelay))])
    const [[, dashboard] = []] = resourcesOf(template, 'AWS::CloudWatch::Dashboard')
    const asked = namesAsked(JSON.stringify(dashboard?.Properties.DashboardBody))
    for (const [, { Properties }] of resourcesOf(template, 'AWS::CloudWatch::Alarm')) {
      const { Metrics = [], ...own } = Properties as MetricOfAlarm
      for (const { Namespace, MetricName = '' } of [
        own,
        ...Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []),
      ])
        if (Namespace === EMF_NAMESPACE) asked.add(MetricName)
    }
    expect(asked.size).toBeGreaterThan(18)
    expect([...asked].filter((name) => !written.has(name))).toEqual([])
  })
})
