import { readFileSync } from 'node:fs'
import type { Template } from 'aws-cdk-lib/assertions'
import { parse } from 'yaml'
import { type AlarmProperties, metricsRead, severityOf } from '../constructs/alarms/alarms.fixtures.ts'
import { resourcesOf } from '../constructs/template.fixtures.ts'

/** An alerting rule as Prometheus reads it. */
interface AlertRule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

const read = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8')

export const alertRules = (): AlertRule[] =>
  (parse(read('alerts.yaml')) as { groups: { rules: AlertRule[] }[] }).groups.flatMap(({ rules }) => rules)

/** Returns what an alarm's twin says beside its expression. */
export function twinOf(id: string, alarm: AlarmProperties, template: Template): Omit<AlertRule, 'expr'> {
  const description = (alarm as unknown as { readonly AlarmDescription: string }).AlarmDescription
  const [, summary = '', runbook = ''] = /^Sliceflow: (.*) What to do: (\S+)$/.exec(description) ?? []
  return {
    alert: `Sliceflow${id}`,
    labels: { severity: severityOf(template, id) },
    annotations: { summary, runbook_url: runbook },
  }
}

/**
 * Says how an alarm counts its bad periods, in PromQL:
 * 1. of one period the value counts at once;
 * 2. of several that must all be bad, for as long as they take; of a counter the window is the first of them;
 * 3. of several some of which must be bad, as many of the windows.
 */
export function timingOf(alarm: AlarmProperties, { expr }: AlertRule): { end: string; for?: string } {
  const { Threshold, EvaluationPeriods: periods, DatapointsToAlarm: bad } = alarm
  const minutes = (metricsRead(alarm)[0]?.period ?? 0) / 60
  const end = ` >= ${Threshold}`
  if (periods === 1) return { end }
  if (bad < periods) return { end: `${end})[${periods * minutes}m:${minutes}m]) >= ${bad}` }
  const isWindow = expr.includes(`[${minutes}m]`)
  return { end, for: `${(isWindow ? periods - 1 : periods) * minutes}m` }
}

/** Lines of the dashboards' graphs by their titles. */
type Graphs = ReadonlyMap<string, readonly string[]>

interface Widget {
  readonly type: string
  readonly properties: { readonly title?: string; readonly metrics?: readonly (readonly unknown[])[] }
}

/**
 * Finds the graphs of CloudWatch: the label of each line; where a search finds lines, their dimensions:
 * `{{cluster}} {{lane}}`.
 */
export function cloudWatchGraphs(template: Template): Graphs {
  const [[, dashboard] = []] = resourcesOf(template, 'AWS::CloudWatch::Dashboard')
  const body = dashboard?.Properties.DashboardBody as { 'Fn::Join': [string, unknown[]] }
  const text = body['Fn::Join'][1].map((part) => (typeof part === 'string' ? part : 'resource')).join('')
  const { widgets } = JSON.parse(text) as { widgets: Widget[] }
  return new Map(
    widgets
      .filter(({ type }) => type === 'metric')
      .map(({ properties: { title = '', metrics = [] } }) => [title, metrics.map(lineOf)]),
  )
}

function lineOf(metric: readonly unknown[]): string {
  const { label = '', expression = '' } = metric.at(-1) as { label?: string; expression?: string }
  const [, dimensions = ''] = /\{Sliceflow,Deployment,([\w,]+)\}/.exec(expression) ?? []
  return (
    label ||
    dimensions
      .split(',')
      .map((name) => `{{${name.toLowerCase()}}}`)
      .join(' ')
  )
}

interface Target {
  readonly expr: string
  readonly legendFormat: string
}

export interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly links?: readonly { readonly url: string }[]
  readonly targets?: readonly Target[]
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
}

export const grafanaPanels = (): readonly Panel[] =>
  (JSON.parse(read('dashboard.json')) as { panels: Panel[] }).panels

export const grafanaGraphs = (panels: readonly Panel[]): Graphs =>
  new Map(
    panels
      .filter(({ type }) => type === 'timeseries')
      .map(({ title, targets = [] }) => [title, targets.map(({ legendFormat }) => legendFormat)]),
  )

const page = read('README.md')

/** Reads the rows of the page's table with this heading, each a cell and its reason. */
function reasons(heading: string): readonly (readonly [cell: string, reason: string])[] {
  const [, table = ''] = page.split(`| ${heading} | why not here |\n| --- | --- |\n`)
  const [rows = ''] = table.split('\n\n')
  return [...rows.matchAll(/^\| (.+?) \| (.+) \|$/gm)].map(([, cell = '', reason = '']) => [cell, reason])
}

/** Alarms that have no twin. */
export const alarmsAlone = (): readonly string[] => reasons('alarm').flatMap(([names]) => names.split(', '))

/** Returns the lines that have no twin, as `title: line`. */
export const linesAlone = (): readonly string[] =>
  reasons('line of the dashboard').flatMap(([cell]) => {
    const end = cell.lastIndexOf(': ')
    const title = cell.slice(0, end)
    return cell
      .slice(end + 2)
      .split('; ')
      .map((line) => `${title}: ${line}`)
  })
