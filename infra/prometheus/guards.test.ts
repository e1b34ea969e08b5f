import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { createFunctionMetrics } from '../../functions/reconcile/metrics.ts'
import {
  createGuardMetrics,
  GUARDS,
  type Guard,
  guardAlarms,
  guardEvents,
} from '../../shared/reconciler/index.ts'
import { createEmfMetrics } from '../../shared/telemetry/index.ts'
import { keyAlarms } from '../constructs/alarms/index.ts'
import { DeploymentMetrics } from '../constructs/metrics.ts'
import { parseDeploymentSettings } from '../settings/index.ts'
import { withGuardAlerts, withGuardLines, withGuardRows } from './guards.fixtures.ts'

const FILES = [
  ['alerts.yaml', withGuardAlerts],
  ['dashboard.json', withGuardLines],
  ['../runbooks/README.md', withGuardRows],
] as const
const fileOf = (name: string): URL => new URL(name, import.meta.url)

describe('the guards', () => {
  it.each(FILES)('are in %s as their list says; UPDATE=1 writes them there', async (name, withGuards) => {
    const text = await readFile(fileOf(name), 'utf8')
    if (process.env.UPDATE === '1') await writeFile(fileOf(name), withGuards(text))
    expect(await readFile(fileOf(name), 'utf8')).toBe(withGuards(text))
  })

  it('have a runbook for each alarm, and a place for each Event on the page of the reconcile function', async () => {
    const page = await readFile(fileOf('../../shared/reconciler/README.md'), 'utf8')
    for (const { runbook } of guardAlarms())
      expect([runbook, existsSync(fileOf(`../runbooks/${runbook}.md`))]).toEqual([runbook, true])
    for (const { events } of GUARDS)
      expect(Object.keys(events).filter((reason) => !page.includes(`\`${reason}\``))).toEqual([])
  })
})

/** What somebody adds to the list: nothing else of the product knows it. */
const NEW: Guard = {
  name: 'sleepy',
  events: { TooSleepy: 'nothing is written at night' },
  metric: {
    name: 'sliceflow_sleepy_syncs_total',
    type: 'counter',
    help: 'Syncs at night',
    byCluster: true,
    ofSync: ({ postponed }) => postponed,
  },
  alarm: {
    id: 'SleepySyncs',
    runbook: 'sleepy-syncs',
    meaning: 'it is night.',
    periods: 3,
    bad: 2,
    metric: 'SleepySyncs',
    help: 'Syncs at night.',
    line: 'sleepy',
  },
  problem: 'that sleep',
}

describe('a guard that is added to the list', () => {
  const guards = [...GUARDS, NEW]
  const key = { cluster: 'a', namespace: 'shop', service: 'web' }
  const guarded = { isHeld: false, postponed: 3, refusedAddresses: 0 }

  it('has its Event, and its metric for Prometheus and in CloudWatch', async () => {
    expect(guardEvents(guards)).toHaveProperty('TooSleepy', 'nothing is written at night')

    const registry = new Registry()
    createGuardMetrics(registry, guards).reconciled(key, guarded)
    expect(await registry.metrics()).toContain('sliceflow_sleepy_syncs_total{cluster="a"} 3\n')

    const lines: string[] = []
    const metrics = createFunctionMetrics(createEmfMetrics({ write: (line) => lines.push(line) }), { guards })
    metrics.reconciled({ key, guarded, created: 0, updated: 0, deleted: 0, attempts: 1 })
    metrics.flush()
    expect(JSON.parse(lines.join(''))).toMatchObject({ SleepySyncs: 3 })
  })

  it('has its alarm, the alert of the same name, and its lines of the dashboard and the runbooks', async () => {
    const alarms = keyAlarms(parseDeploymentSettings({}), new DeploymentMetrics('Test'), guards)
    expect(alarms.find(({ id }) => id === 'SleepySyncs')).toMatchObject({
      ...{ runbook: 'sleepy-syncs', severity: 'warning', meaning: 'it is night.' },
      ...{ threshold: 1, periods: 3, bad: 2, metric: { metricName: 'SleepySyncs' } },
    })

    const made = await Promise.all(
      FILES.map(async ([name, withGuards]) => withGuards(await readFile(fileOf(name), 'utf8'), guards)),
    )
    expect(made[0]).toContain(`      - alert: SliceflowSleepySyncs
        expr: count_over_time((sum by (job, cluster) (increase(sliceflow_sleepy_syncs_total[5m])) >= 1)[15m:5m]) >= 2
        labels: { severity: warning }
        annotations:
          summary: 'it is night.'
          runbook_url: https://github.com/sliceflow/sliceflow/blob/main/infra/runbooks/sleepy-syncs.md
`)
    expect(made[1]).toContain('"expr": "sum(increase(sliceflow_sleepy_syncs_total[$__rate_interval]))"')
    expect(() => JSON.parse(made[1] ?? '')).not.toThrow()
    expect(made[2]).toContain('| SleepySyncs | [sleepy-syncs](sleepy-syncs.md) |\n')
  })
})
