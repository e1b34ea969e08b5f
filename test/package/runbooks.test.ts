import { globSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { RELAY_METRICS } from '../../infra/constructs/metrics.ts'
import { FAILURE_CLASSES } from '../../shared/queue/consumer/index.ts'
import { ROOT } from './installed.ts'
import { productFiles, textOf } from './product-files.ts'

/** Words of AWS, Node.js and the stack's outputs that pages name. */
const OF_OTHERS: ReadonlySet<string> = new Set([
  ...['AccessDenied', 'ConcurrentExecutions', 'State', 'stoppedReason'],
  ...['EACCES', 'ECONNREFUSED', 'EDQUOT', 'ENOENT', 'ENOSPC', 'ENOTFOUND', 'EROFS', 'ETIMEDOUT'],
  ...['ViewPublisherQueueUrl', 'Roles', 'Writer'],
  // The dimensions of metrics.
  ...['Cluster', 'Deployment', 'AlarmContributorAttributes'],
])

/** Alarms that name the cluster; the table of the page has the names without that. */
const BY_CLUSTER = ['ClusterUnreachable', 'FailedKeys', 'WatchSilent', 'CanaryLate', 'CanaryFailed'].map(
  (name) => `${name}ByCluster`,
)

const pages = globSync('infra/runbooks/*.md', { cwd: ROOT }).toSorted()
/** Those that write logs. */
const sources = productFiles
  .filter((file) => !file.startsWith('infra/'))
  .map(textOf)
  .join('\n')

/** Returns what a pattern finds in all pages. */
const found = (pattern: RegExp): { page: string; text: string }[] =>
  pages.flatMap((page) => [...textOf(page).matchAll(pattern)].map(([, text = '']) => ({ page, text })))

describe('the runbooks', () => {
  const queries = [...found(/\bmsg (?:=|like) "([^"*]+)\*?"/g), ...found(/\blike \/([^/]+)\//g)]
  const reference = textOf('docs/reference.md')
  const [alarms = ''] = textOf('infra/runbooks/README.md').split('\n## ')
  const known: ReadonlySet<string> = new Set([
    ...OF_OTHERS,
    ...FAILURE_CLASSES,
    ...Object.values(RELAY_METRICS),
    // A standby has every metric of a relay.
    ...Object.values(RELAY_METRICS).map((name) => `Standby${name}`),
    ...((reference + alarms).match(/\w+/g) ?? []),
    ...BY_CLUSTER,
  ])

  it('query the logs for texts that the code writes', () => {
    expect(queries.length).toBeGreaterThan(6)
    expect(queries.filter(({ text }) => !sources.includes(text))).toEqual([])
  })

  it('name metrics, alarms, settings, Events and classes that there are', () => {
    const names = found(/`([A-Za-z]*[a-z][A-Z]\w*|[A-Z][A-Za-z]+)`/g)
    expect(names.length).toBeGreaterThan(80)
    expect(names.filter(({ text }) => !known.has(text))).toEqual([])
  })

  it('name the resource that an AWS command is about', () => {
    const commands = found(/`(aws [^`]+)`/g)
    expect(commands.length).toBeGreaterThan(10)
    const incomplete = commands.filter(
      ({ text }) => /^aws ecs (describe|list|update)/.test(text) && !text.includes('--cluster CLUSTER'),
    )
    expect(incomplete).toEqual([])
  })
})
