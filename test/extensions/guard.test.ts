import { readFile } from 'node:fs/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { problemsOf } from '../../cli/commands/status/problems.ts'
import { createFigures } from '../../cli/console/figures/figures.ts'
import { readRelay } from '../../cli/deployment/read-relay.ts'
import { describeService, explainService } from '../../cli/explain/index.ts'
import { createMetrics, createStatusRecord } from '../../cli/local/index.ts'
import { createOperatorCommands } from '../../cli/operator-tasks/index.ts'
import { createFunctionMetrics } from '../../functions/reconcile/metrics.ts'
import { keyAlarms } from '../../infra/constructs/alarms/reported.ts'
import { DeploymentMetrics } from '../../infra/constructs/metrics.ts'
import { GUARD_FILES, undocumented } from '../../infra/prometheus/guards.fixtures.ts'
import { referencePage } from '../../infra/reference/index.ts'
import { parseDeploymentSettings } from '../../infra/settings/index.ts'
import { createNodeReader, type ReconcileOutcome } from '../../shared/reconciler/index.ts'
import { createEmfMetrics } from '../../shared/telemetry/index.ts'
import { startEmbeddedCluster } from '../end-to-end/embedded-cluster.ts'
import { numbered, openScene, type Scene, until } from '../end-to-end/scene.ts'
import { readEvents } from '../end-to-end/service-events.ts'
import { useCluster } from '../end-to-end/use-cluster.ts'
import { ANNOTATION_MINIMUM } from './minimum-endpoints.ts'

/** The list with one entry more, which is all that a new guard changes of what exists. */
vi.mock(import('../../shared/reconciler/guards/guard-list.ts'), async (original) => {
  const list = await original()
  const { MINIMUM_GUARD } = await import('./minimum-endpoints.ts')
  ;(list.GUARDS as unknown[]).splice(2, 0, MINIMUM_GUARD)
  return list
})

const SERVICE = { namespace: 'shop', service: 'web' }
const MESSAGE = 'the Service would have fewer than 2 endpoints: nothing is written'
/** What a sync says that the guard has blocked. */
const BLOCKED: ReconcileOutcome = {
  ...{ key: { ...SERVICE, cluster: 'eu-1' }, created: 0, updated: 0, deleted: 0, attempts: 1 },
  guarded: { acted: { minimum: 1 }, isBlocked: true },
}

const open = useCluster((name) => startEmbeddedCluster(name))

const endpointsOf = async (scene: Scene): Promise<number> =>
  (await scene.slices('web')).reduce((sum, slice) => sum + (slice.endpoints?.length ?? 0), 0)

const messagesOf = async (scene: Scene): Promise<unknown[]> =>
  (await readEvents(scene)).map(({ reason, message }) => `${reason}: ${message}`)

describe('a guard that is added to the list', () => {
  it('blocks plans, whether a hint or a full sync gives them, says why by its Event, and is explained', async () => {
    const scene = await openScene(open(), { mode: 'custom' })
    const { client, namespace, settings, cluster } = scene
    await scene.addPods(numbered('web', 3))
    await scene.addService('web')
    await scene.patchService('web', { metadata: { annotations: { [ANNOTATION_MINIMUM]: '2' } } })
    const { outcomes } = await scene.start()
    await until(() => endpointsOf(scene)).toBe(3)

    await scene.pods.finish({ namespace, name: 'web-1' })
    await until(() => endpointsOf(scene)).toBe(2)
    await until(() => outcomes.at(-1)).toMatchObject({ fullSyncReason: 'Guard', updated: 1 })

    await scene.pods.finish({ namespace, name: 'web-2' })
    await until(() => messagesOf(scene)).toEqual([`TooFewEndpoints: ${MESSAGE}`])
    await until(() => outcomes.at(-1)).toMatchObject({ guarded: { acted: { minimum: 1 }, isBlocked: true } })
    expect(await endpointsOf(scene)).toBe(2)

    const report = await explainService({
      clusterOf: () => ({ client, nodes: createNodeReader(client) }),
      key: { cluster, namespace, service: 'web' },
      settings,
      signal: AbortSignal.timeout(30_000),
    })
    expect(report?.warnings).toEqual([MESSAGE])
    expect(report && describeService(report, Date.now())).toContain(MESSAGE)
  })

  it('is counted for Prometheus and in the console, and waits for a person there and in the status', async () => {
    const record = createStatusRecord(['eu-1'])
    const metrics = createMetrics(record.document)
    for (const { onReconciled } of [record.observer, metrics.observer]) onReconciled?.(BLOCKED)
    expect(await metrics.registry.metrics()).toContain('sliceflow_too_few_endpoints 1\n')

    const commands = createOperatorCommands({ settings: { mode: 'custom', managedBy: 'sliceflow.dev' } })
    const { registry } = metrics
    const figures = createFigures({ registry, status: record.document, commands, mayAskQueues: () => false })
    expect(await figures.read()).toMatchObject({
      guards: expect.arrayContaining([
        { name: 'minimum', label: 'Services too small', count: 1, sinceStart: false },
      ]),
      tasks: {
        tasks: [
          {
            kind: 'too small',
            text: 'eu-1 shop/web: nothing is written, as it would have too few endpoints',
            command: 'sliceflow explain --context eu-1 shop/web',
          },
        ],
      },
    })

    const { url } = await metrics.listen(0)
    onTestFinished(() => metrics.stop())
    expect(problemsOf({ clusters: [], relay: await readRelay(url) })).toContain(
      'cluster eu-1: 1 Service with too few endpoints to be written: shop/web',
    )
  })

  it('has its metric in CloudWatch, and the alarm on it', () => {
    const lines: string[] = []
    const metrics = createFunctionMetrics(createEmfMetrics({ write: (line) => lines.push(line) }))
    metrics.reconciled(BLOCKED)
    metrics.flush()
    expect(JSON.parse(lines.join(''))).toMatchObject({ TooFewEndpoints: 1 })

    const alarms = keyAlarms({
      settings: parseDeploymentSettings({}),
      metrics: new DeploymentMetrics('Test'),
    })
    expect(alarms.find(({ id }) => id === 'TooFewEndpoints')).toMatchObject({
      ...{ runbook: 'too-few-endpoints', meaning: 'a Service would have too few endpoints.' },
      ...{ periods: 3, bad: 2, metric: { metricName: 'TooFewEndpoints' } },
    })
  })

  it('has an alert, and lines of the dashboard, the runbooks and the reference, and lacks its page', async () => {
    const [alerts, dashboard, runbooks] = await Promise.all(
      GUARD_FILES.map(async ([name, withGuards]) =>
        withGuards(
          await readFile(new URL(name, new URL('../../infra/prometheus/', import.meta.url)), 'utf8'),
        ),
      ),
    )
    expect(alerts).toContain(`      - alert: SliceflowTooFewEndpoints
        expr: count_over_time((sum by (job) (sliceflow_too_few_endpoints) >= 1)[15m:5m]) >= 2
        labels: { severity: warning }
        annotations:
          summary: 'a Service would have too few endpoints.'
          runbook_url: https://github.com/sliceflow/sliceflow/blob/main/infra/runbooks/too-few-endpoints.md
`)
    expect(dashboard).toContain('"expr": "sum(sliceflow_too_few_endpoints)"')
    expect(() => JSON.parse(dashboard ?? '')).not.toThrow()
    expect(runbooks).toContain('| TooFewEndpoints | [too-few-endpoints](too-few-endpoints.md) |\n')
    const reference = await referencePage()
    for (const name of [
      'TooFewEndpoints` | the Service',
      'sliceflow_too_few_endpoints',
      'TooFewEndpoints` | Syncs',
    ])
      expect(reference).toContain(`| \`${name}`)
    expect(undocumented()).toEqual(['runbook too-few-endpoints', 'Event TooFewEndpoints'])
  })
})
