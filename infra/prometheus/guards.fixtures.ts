import { globSync, readFileSync } from 'node:fs'
import { GUARDS, type Guard, type GuardAlarm, guardAlarms } from '../../shared/reconciler/index.ts'

const RUNBOOKS = 'https://github.com/sliceflow/sliceflow/blob/main/infra/runbooks'
const TARGETS = '"targets": '
const END = '\n      ]'
/** Period of the alarms of guards in minutes. */
const MINUTES = 5

const RECONCILER = new URL('../../shared/reconciler/README.md', import.meta.url)
const PAGES = new URL('../runbooks', import.meta.url)

/**
 * Lists the runbooks that guards lack, and their Events that the page of the reconcile function does not
 * name.
 */
export function undocumented(): string[] {
  const runbooks = new Set(globSync('*.md', { cwd: PAGES }))
  const page = readFileSync(RECONCILER, 'utf8')
  return [
    ...guardAlarms().flatMap(({ runbook }) => (runbooks.has(`${runbook}.md`) ? [] : [`runbook ${runbook}`])),
    ...GUARDS.flatMap(({ events }) => Object.keys(events))
      .filter((reason) => !page.includes(`\`${reason}\``))
      .map((reason) => `Event ${reason}`),
  ]
}

/** Puts the alerts of the guards into alerts.yaml, in the place of those that are there. */
const withGuardAlerts = (text: string): string =>
  withParts(text, {
    separator: /(?=^ {6}- alert: |^ {2}- name: )/m,
    idOf: (part) => /^ {6}- alert: Sliceflow(\w+)/.exec(part)?.[1],
    parts: GUARDS.flatMap(alertOf),
  })

/** Puts the rows of the guards into the table of alarms of the runbooks' page. */
const withGuardRows = (text: string): string =>
  withParts(text, {
    separator: /(?<=\n)/,
    idOf: (part) => /^\| (\w+) \| \[/.exec(part)?.[1],
    parts: guardAlarms().map(({ id, runbook }) => ({
      id,
      text: `| ${id} | [${runbook}](${runbook}.md) |\n`,
    })),
  })

/** Puts the lines of the guards into the graph of dashboard.json that has the first of them. */
function withGuardLines(text: string): string {
  const datasource = { type: 'prometheus', uid: '$' + '{datasource}' }
  const targets = GUARDS.flatMap(({ metric, alarm }) =>
    metric === undefined || alarm === undefined
      ? []
      : [
          {
            refId: String.fromCodePoint(65 + guardAlarms().indexOf(alarm)),
            datasource,
            expr:
              metric.type === 'gauge'
                ? `sum(${metric.name})`
                : `sum(increase(${metric.name}[$__rate_interval]))`,
            legendFormat: alarm.line,
            range: true,
          },
        ],
  )
  const json = JSON.stringify(targets, null, 2).replaceAll('\n', '\n      ')
  const first = text.indexOf('sliceflow_held_plans')
  const begin = text.lastIndexOf(TARGETS, first) + TARGETS.length
  return text.slice(0, begin) + json + text.slice(text.indexOf(END, first) + END.length)
}

interface Part {
  readonly id: string
  readonly text: string
}

interface Parts {
  readonly separator: RegExp
  readonly idOf: (part: string) => string | undefined
  readonly parts: readonly Part[]
}

/** Replaces the parts of these ids; all stand where the first one stood. */
function withParts(text: string, { separator, idOf, parts }: Parts): string {
  const ids = new Set(parts.map(({ id }) => id))
  const before = text.split(separator)
  const isOfGuard = (part: string): boolean => ids.has(idOf(part) ?? '')
  const at = before.findIndex(isOfGuard)
  const others = before.filter((part) => !isOfGuard(part))
  return [...others.slice(0, at), ...parts.map((part) => part.text), ...others.slice(at)].join('')
}

const alertOf = ({ metric, alarm }: Guard): Part[] =>
  metric === undefined || alarm === undefined
    ? []
    : [
        {
          id: alarm.id,
          text: `      - alert: Sliceflow${alarm.id}
        expr: ${exprOf(metric, alarm)}
        labels: { severity: warning }
        annotations:
          summary: '${alarm.meaning}'
          runbook_url: ${RUNBOOKS}/${alarm.runbook}.md
`,
        },
      ]

function exprOf(
  { name, type, byCluster }: NonNullable<Guard['metric']>,
  { periods, bad }: GuardAlarm,
): string {
  const value = type === 'gauge' ? name : `increase(${name}[${MINUTES}m])`
  const acts = `sum by (job${byCluster ? ', cluster' : ''}) (${value}) >= 1`
  return periods === 1 ? acts : `count_over_time((${acts})[${periods * MINUTES}m:${MINUTES}m]) >= ${bad}`
}

/** Files that have the guards, and what puts them there. */
export const GUARD_FILES = [
  ['alerts.yaml', withGuardAlerts],
  ['dashboard.json', withGuardLines],
  ['../runbooks/README.md', withGuardRows],
] as const
