import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Stack } from 'aws-cdk-lib'
import type { Template } from 'aws-cdk-lib/assertions'
import { EventBus } from 'aws-cdk-lib/aws-events'
import { beforeAll, describe, expect, it } from 'vitest'
import { createMetrics } from '../../cli/local/index.ts'
import { type AlarmProperties, alarmsOf } from '../constructs/alarms/alarms.fixtures.ts'
import { emptyBundles, templateOf, testApp } from '../constructs/template.fixtures.ts'
import {
  alarmsAlone,
  alertRules,
  cloudWatchGraphs,
  grafanaGraphs,
  grafanaPanels,
  linesAlone,
  timingOf,
  twinOf,
} from './twins.fixtures.ts'

const SPEC = fileURLToPath(new URL('../../examples/views/endpoints.yaml', import.meta.url))
const RUNBOOKS = 'https://github.com/sliceflow/sliceflow/blob/main/infra/runbooks/'

/** Finds the names of the metrics in an expression. */
const metricsIn = (expr: string): string[] =>
  [...expr.matchAll(/\b(?:sliceflow|endpoint_slice_controller)_\w+/g)].map(([name]) =>
    name.replace(/_bucket$/, ''),
  )

/** Returns the metrics that `run` serves from its start, before anything is counted. */
async function metricsOfRun(): Promise<Set<string>> {
  const metrics = createMetrics()
  const { url } = await metrics.listen(0)
  const text = await (await fetch(`${url}/metrics`)).text()
  await metrics.stop()
  return new Set([...text.matchAll(/^# HELP (\w+)/gm)].map(([, name = '']) => name))
}

let template: Template
let ofRun: Set<string>
const bundles = emptyBundles()
const rules = alertRules()
const panels = grafanaPanels()

beforeAll(async () => {
  const app = testApp(bundles)
  const eventBus = EventBus.fromEventBusName(new Stack(app, 'Views'), 'Bus', 'views')
  const views = { spec: SPEC, operator: 'mine', eventBus }
  const clusterSets = '[{"name":"prod","clusters":[{"name":"*"}]}]'
  const settings = { relayStandby: true, recording: 'on', shadow: false, clusterSets } as const
  template = templateOf({ bundles, views, settings, keepState: true, canary: true }, app)
  ofRun = await metricsOfRun()
})

describe('the alerts of Prometheus', () => {
  it('are one for each alarm of a deployment, but for those that the page names with a reason', () => {
    const alarms = Object.keys(alarmsOf(template))
    const alerts = rules.map(({ alert }) => alert.replace(/^Sliceflow/, ''))
    expect([...alerts, ...alarmsAlone()].toSorted()).toEqual(alarms.toSorted())
  })

  it('say what their alarm says, as severe as it, and lead to its runbook', () => {
    const alarms = alarmsOf(template)
    for (const { expr: _, for: __, ...rule } of rules) {
      const id = rule.alert.replace(/^Sliceflow/, '')
      expect(rule).toEqual(twinOf(id, alarms[id] as AlarmProperties, template))
      expect(rule.annotations.runbook_url).toMatch(/\/infra\/runbooks\/[a-z-]+\.md$/)
    }
  })

  it('ring at the number and after the time of their alarm', () => {
    const alarms = alarmsOf(template)
    for (const rule of rules) {
      const timing = timingOf(alarms[rule.alert.replace(/^Sliceflow/, '')] as AlarmProperties, rule)
      expect([rule.alert, rule.expr.slice(-timing.end.length)]).toEqual([rule.alert, timing.end])
      expect([rule.alert, rule.for]).toEqual([rule.alert, timing.for])
    }
  })

  it('ask for metrics that `run` has', () => {
    const asked = rules.flatMap(({ expr }) => metricsIn(expr))
    expect(asked.length).toBeGreaterThan(10)
    expect(asked.filter((name) => !ofRun.has(name))).toEqual([])
  })
})

describe('the dashboard of Grafana', () => {
  it('has each line of the dashboard of CloudWatch, but for those that the page names with a reason', () => {
    const shadowed = cloudWatchGraphs(templateOf({ bundles, settings: { shadow: true } }))
    const theirs = [...shadowed, ...cloudWatchGraphs(template)]
    const linesOf = (graphs: Iterable<readonly [string, readonly string[]]>): string[] => [
      ...new Set([...graphs].flatMap(([title, lines]) => lines.map((line) => `${title}: ${line}`))),
    ]
    const ours = linesOf(grafanaGraphs(panels))
    expect(ours.length).toBeGreaterThan(20)
    expect([...ours, ...linesAlone()].toSorted()).toEqual(linesOf(theirs).toSorted())
  })

  it('asks for metrics that `run` has', () => {
    const asked = panels.flatMap(({ targets = [] }) => targets).flatMap(({ expr }) => metricsIn(expr))
    expect(asked.length).toBeGreaterThan(20)
    expect(asked.filter((name) => !ofRun.has(name))).toEqual([])
  })

  it('leads to runbooks that there are', () => {
    const urls = panels.flatMap(({ links = [] }) => links.map(({ url }) => url))
    expect(urls.length).toBeGreaterThan(10)
    for (const url of urls) {
      const page = new URL(`../runbooks/${url.replace(RUNBOOKS, '')}`, import.meta.url)
      expect([url, url.startsWith(RUNBOOKS) && existsSync(page)]).toEqual([url, true])
    }
  })

  it('has panels of their own ids, none of which covers another', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true)
  })
})
