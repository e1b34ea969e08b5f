import { EXIT_CODES } from '../../cli/index.ts'
import { createMetrics } from '../../cli/local/index.ts'
import { SOURCES } from '../../shared/changes/index.ts'
import { EVENT_REASONS, guardAlarms } from '../../shared/reconciler/index.ts'
import { describeSettings, flagOf, variableOf } from '../../shared/settings/index.ts'
import { describeSettable } from '../settings/index.ts'
import { markdownTable as table } from './markdown.ts'
import { type Documented, documentedMembers, documentedNames } from './source-comments.ts'

const INTRODUCTION = `# Reference

Every name that Sliceflow puts into clusters, or that others may rely on. \`npm run docs\` writes this page from the
code, and a test compares the two. [Upgrading](upgrading.md) says what a new version may change.`

/** Writes the whole of docs/reference.md. */
export async function referencePage(): Promise<string> {
  const names = await documentedNames()
  const isOnService = ({ comment }: Documented): boolean =>
    /^(Annotation of a Service(Export)?\b|Annotation beside|Instead of a)/.test(comment)
  const ours = names.filter(({ value }) => value.startsWith('sliceflow.dev/'))
  const kubernetes = names.filter(({ value }) => !value.startsWith('sliceflow.dev/'))
  const sections = [
    ['Annotations on Services and ServiceExports', 'Set by people.', nameTable(ours.filter(isOnService))],
    ['Sources of endpoints', 'A Service asks for one source; others refine what it asks for.', sourceTable()],
    [
      'Annotations and labels of objects that Sliceflow writes',
      'Set only by Sliceflow. [shared/reconciler](../shared/reconciler/README.md#what-sliceflow-trusts-in-a-slice) says when it trusts them.',
      nameTable(ours.filter((name) => !isOnService(name))),
    ],
    [
      'Names of others',
      'Labels and annotations of Kubernetes, and of networks, that are read or written.',
      nameTable(kubernetes),
    ],
    ['Events', 'Recorded on the Service; an Event with the same text is recorded once.', eventTable()],
    ['Metrics for Prometheus', 'Of `sliceflow run --metrics-port`.', await metricTable()],
    [
      'Metrics in CloudWatch',
      'Of the functions, in the namespace `Sliceflow`, each with the dimension `Deployment` (the output `Deployment` of the stack) and, where it is by cluster, lane or class, with that one as well. The relay has those of Prometheus above that begin with `sliceflow_relay_` as `Relay…`: `sliceflow_relay_keys_sent_total` is `RelayKeysSent`; a standby’s begin with `Standby`.',
      await cloudWatchTable(),
    ],
    ['Exit codes', 'Of every command.', exitTable()],
    [
      'Settings',
      'A flag takes precedence over a variable. On AWS each is a prop, `--set name=value` or context: [infra](../infra/README.md#settings).',
      settingTable(),
    ],
  ]
  return `${[INTRODUCTION, ...sections.map(([title, text, table]) => `## ${title}\n\n${text}\n\n${table}`)].join('\n\n')}\n`
}

const code = (text: string | number): string => (text === '' ? '' : `\`${text}\``)

const nameTable = (names: readonly Documented[]): string =>
  table(
    ['name', 'what it says'],
    names.map(({ value, comment }) => [code(value), comment]),
  )

const sourceTable = (): string =>
  table(
    ['endpoints', 'annotations', 'granted or turned on by'],
    SOURCES.map(({ summary, annotations, grantedBy, enabledBy }) => [
      summary,
      Object.keys(annotations).map(code).join(', '),
      code(grantedBy ?? enabledBy ?? ''),
    ]),
  )

const eventTable = (): string =>
  table(
    ['reason', 'what it says'],
    Object.entries(EVENT_REASONS).map(([reason, text]) => [code(reason), text]),
  )

async function metricTable(): Promise<string> {
  const metrics = await createMetrics().registry.getMetricsAsJSON()
  return table(
    ['name', 'type', 'what it counts'],
    metrics.map(({ name, type, help }) => [code(name), String(type), help]),
  )
}

async function cloudWatchTable(): Promise<string> {
  const metrics = [
    ...(await documentedMembers('functions/reconcile/metrics.ts', 'FUNCTION_METRICS')),
    ...guardAlarms().map(({ metric, help }) => ({ value: metric, comment: help })),
    ...(await documentedMembers('functions/audit/metrics.ts', 'AUDIT_METRICS')),
    ...(await documentedMembers('functions/canary/metrics.ts', 'CANARY_METRICS')),
  ]
  return table(
    ['name', 'what it counts'],
    metrics.map(({ value, comment }) => [code(value), comment]),
  )
}

const exitTable = (): string =>
  table(
    ['code', 'meaning'],
    Object.values(EXIT_CODES).map(({ code: number, meaning }) => [code(number), meaning]),
  )

function settingTable(): string {
  const ofRun = new Set<string>(describeSettings().map(({ name }) => name))
  const ofAws = new Set<string>(describeSettable().map(({ name }) => name))
  const all = new Map(
    [...describeSettings(), ...describeSettable()].map((setting) => [setting.name as string, setting]),
  )
  return table(
    ['setting', 'flag of `run`', 'variable', 'on AWS', 'unit', 'default', 'what it does and trades'],
    [...all].map(([name, { placeholder, default: preset, description }]) => [
      code(name),
      ofRun.has(name) ? code(flagOf(name)) : '',
      ofRun.has(name) ? code(variableOf(name)) : '',
      ofAws.has(name) ? 'yes' : '',
      placeholder,
      code(String(preset)),
      description,
    ]),
  )
}
