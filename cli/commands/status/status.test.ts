import { describe, expect, it } from 'vitest'
import { ConnectionError } from '../../../shared/kubernetes/index.ts'
import { contentSettings, parseSettings } from '../../../shared/settings/index.ts'
import { readRelay } from '../../deployment/read-relay.ts'
import { createMetrics, createStatusRecord } from '../../local/index.ts'
import { serveStatus } from '../../relay.fixtures.ts'
import { describeStatus } from './describe-status.ts'
import { problemsOf } from './problems.ts'
import type { ReachableCluster, StatusReport } from './report.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')

const CLUSTER: ReachableCluster = {
  name: 'eu-1',
  reachable: true,
  serverVersion: 'v1.36.4',
  services: 30,
  invalid: [],
  paused: [],
  slices: 31,
  endpoints: 150,
  orphans: [],
  managedBy: 'sliceflow.dev',
  leftBehind: [],
  doublyManaged: [],
  held: [],
  fights: [],
  secondControllers: [],
  check: { kind: 'plan', checked: 20, total: 30, outdated: [], failed: [] },
}

const SECOND = { manager: 'k3s', service: 'shop/web', isMirror: false, at: '2026-03-01T11:59:00.000Z' }

function reportOf(found: Partial<StatusReport> = {}): StatusReport {
  const report = { clusters: [CLUSTER], ...found }
  const problems = problemsOf(report)
  return { version: 1, healthy: problems.length === 0, problems, ...report }
}

describe('the status', () => {
  it('that is healthy says so, and which flag adds what was not passed', () => {
    const text = describeStatus(reportOf(), NOW)
    expect(text).toMatch(/eu-1 +v1\.36\.4 +30 +31 +150 +0 +0 +0 of 20 \(of 30; --check plans all\)/)
    for (const line of [
      'Relay: not given; --relay URL',
      'Queues: not given; --relay URL of a run, --stack NAME',
      'Healthy: nothing to do.',
    ])
      expect(text).toContain(line)
  })

  it('says which Services are paused and for how long, which is no problem', () => {
    const paused = [{ service: 'shop/web', since: '2026-03-01T09:00:00Z' }, { service: 'shop/api' }]
    const text = describeStatus(reportOf({ clusters: [{ ...CLUSTER, paused }] }), NOW)
    expect(text).toContain(
      'eu-1: 2 Services paused, whose slices stay as they are: shop/web for 3h, shop/api',
    )
    expect(text).toContain('Healthy: nothing to do.')
  })

  it('sends no control characters to a terminal that an API server answers', () => {
    const failed = [{ key: 'shop/web', error: 'refused: \u001b[2J\nHealthy: nothing to do.' }]
    const text = describeStatus(reportOf({ clusters: [{ ...CLUSTER, ...check({ failed }) }] }), NOW)
    expect(text).toContain('refused:  [2J Healthy')
  })

  const check = (more: Partial<ReachableCluster['check']>): Partial<ReachableCluster> => ({
    check: { ...CLUSTER.check, ...more },
  })
  it.each<[string, Partial<ReachableCluster>, string]>([
    [
      'a Service that is out of date',
      check({ outdated: [{ key: 'shop/web', differences: ['would update web-1', 'would delete web-2'] }] }),
      'cluster eu-1: 1 Service out of date: shop/web (would update web-1, and 1 more)',
    ],
    [
      'a Service that cannot be read',
      check({ failed: [{ key: 'shop/web', error: 'forbidden' }] }),
      'shop/web (forbidden)',
    ],
    [
      'slices that are left over',
      { orphans: ['shop/a', 'shop/b', 'shop/c', 'shop/d'] },
      '4 slices of ours whose Service is not managed: shop/a, shop/b, shop/c and 1 more',
    ],
    [
      'two managers of one Service',
      { doublyManaged: ['shop/web'] },
      '1 Service that the in-tree controller manages too: shop/web',
    ],
    ['an invalid annotation', { invalid: ['shop/bad'] }, '1 Service with an invalid annotation: shop/bad'],
    [
      'a plan that is held',
      { held: ['shop/web'] },
      'cluster eu-1: 1 Service with a held plan (sliceflow explain shows it, sliceflow release releases it): shop/web',
    ],
    [
      'a second controller',
      { secondControllers: [SECOND] },
      'cluster eu-1: k3s writes slices that Sliceflow manages (shop/web at 2026-03-01T11:59:00.000Z): turn its endpointslice-controller off (start k3s server with --kube-controller-manager-arg=controllers=*,tokencleaner,-endpointslice-controller)',
    ],
    [
      'a second controller that mirrors Endpoints',
      { secondControllers: [{ ...SECOND, manager: 'kubelite', isMirror: true }] },
      'turn its endpointslice-mirroring-controller off (add --controllers=*,-endpointslice-mirroring-controller to MicroK8s’ args',
    ],
    [
      'a slice that somebody edits after every repair',
      { fights: ['shop/web-1'] },
      '1 slice that somebody edits after every repair (sliceflow explain shows who): shop/web-1',
    ],
  ])('reports %s', (_, cluster, problem) => {
    expect(problemsOf({ clusters: [{ ...CLUSTER, ...cluster }] })).toEqual([expect.stringContaining(problem)])
  })

  it('of a shadow takes the other controller for granted', () => {
    const beside = {
      ...CLUSTER,
      secondControllers: [SECOND],
      ...check({ kind: 'shadow' }),
      doublyManaged: ['shop/web'],
      orphans: ['shop/a'],
    }
    expect(problemsOf({ clusters: [beside] })).toEqual([])
    expect(describeStatus(reportOf({ clusters: [beside] }), NOW)).toContain('DIFFERENT')
  })

  it('colours its result on a terminal, and breaks long lines at spaces', () => {
    const terminal = {
      isTerminal: true,
      columns: 60,
      style: (colour: string, text: string): string => `<${colour}>${text}`,
    }
    expect(describeStatus(reportOf(), NOW, terminal)).toContain('<green>Healthy')
    const report = reportOf({ clusters: [{ name: 'us-1', reachable: false, error: 'refused' }] })
    const text = describeStatus(report, NOW, terminal)
    expect(text).toContain('<red>  cluster us-1 cannot be read')
    expect(text).toContain(
      'Queues: not given; --relay URL of a run, --stack NAME of a\n    deployment, or --queue',
    )
  })

  it('reports a cluster that cannot be read, beside those that can', () => {
    const report = reportOf({ clusters: [CLUSTER, { name: 'us-1', reachable: false, error: 'refused' }] })
    expect(report.problems).toEqual(['cluster us-1 cannot be read: refused'])
    expect(describeStatus(report, NOW)).toMatch(/us-1 +cannot be read/)
  })
})

describe('the status of a run', () => {
  it('says itself which second controllers have written since its start, regardless of the slices', () => {
    const clusters = [{ ...CLUSTER, secondControllers: [SECOND] }]
    const relay = { url: 'http://127.0.0.1:9090', ready: true }
    const followed = { name: 'eu-1', syncedAt: '2026-03-01T11:00:00Z', failures: 0, waiting: 0, writes: 0 }
    const problems = (...some: readonly (typeof followed)[]) =>
      problemsOf({ clusters, relay: { ...relay, clusters: some } })
    expect(problems(followed)).toEqual([])
    const argocd = { ...SECOND, manager: 'argocd' }
    expect(problems({ ...followed, secondControllers: [argocd] } as typeof followed)).toEqual([
      'cluster eu-1: argocd writes slices that Sliceflow manages (shop/web at 2026-03-01T11:59:00.000Z): stop it, or give Sliceflow another --managed-by value',
    ])
    expect(problems({ ...followed, name: 'us-1' })).toEqual([expect.stringContaining('cluster eu-1: k3s ')])
    expect(problemsOf({ clusters, relay: { ...relay, error: 'no answer' } })).toHaveLength(2)
  })

  it('is its own report', async () => {
    const { observer, document } = createStatusRecord(['eu-1', 'us-1'], () => NOW)
    observer.onSynced?.('eu-1')
    observer.onSweep?.('eu-1', 12)
    observer.onAudit?.('eu-1', 1)
    const url = await serveStatus(document)
    const relay = await readRelay(url)
    expect(relay).toMatchObject({ url, ready: false, startedAt: '2026-03-01T12:00:00.000Z' })
    expect(problemsOf({ clusters: [], relay })).toEqual([
      `relay ${url} is not ready: not started yet`,
      `relay ${url}: 1 cluster never listed: us-1`,
    ])
    const text = describeStatus(reportOf({ relay }), NOW + 60_000)
    expect(text).toMatch(/eu-1 +60s ago +never +never +60s ago \(12 keys\) +60s ago \(1 key\) +0 +- +- +-/)
  })

  it('names the clusters that it cannot reach by now, though they were listed', async () => {
    const { observer, document, reachedBy } = createStatusRecord(['eu-1', 'us-1'], () => NOW)
    for (const name of ['eu-1', 'us-1']) observer.onSynced?.(name)
    reachedBy({ health: () => ({ unreachable: ['us-1'] }) })
    const url = await serveStatus(document)
    expect(problemsOf({ clusters: [], relay: await readRelay(url) })).toContain(
      `relay ${url}: 1 cluster it cannot reach, or not by every watch: us-1`,
    )
  })

  it('names the classes behind the failures, the last one, and what a shadow has compared', async () => {
    const { observer, document } = createStatusRecord(['eu-1'], () => NOW)
    const key = { cluster: 'eu-1', namespace: 'shop', service: 'web' }
    for (const code of ['ECONNREFUSED', 'ETIMEDOUT', 'ECONNREFUSED'])
      observer.onFailed?.(key, new ConnectionError(`failed to list Pods: ${code}`, code))
    observer.onCompared?.({ key, result: 'different', differences: new Map() })
    const text = describeStatus(
      reportOf({ relay: await readRelay(await serveStatus(document)) }),
      NOW + 5_000,
    )
    expect(text).toContain('3 (Unreachable 2, Timeout 1)')
    expect(text).toContain('eu-1: last failure 5s ago, Unreachable: failed to list Pods: ECONNREFUSED')
    expect(text).toContain('eu-1: as a shadow 1 Service compared: 0 the same, 1 different, 0 invalid')
  })

  it('says of each cluster set what it has and what failed last', async () => {
    const { observer, document } = createStatusRecord(['eu-1'], () => NOW)
    const key = { cluster: 'clusterset:prod', namespace: 'shop', service: 'web' }
    const fleet = { exports: 2, imports: 3, isInConflict: false, blocked: 0, leftOut: 0 }
    observer.onReconciled?.({ key, created: 0, updated: 0, deleted: 0, attempts: 1, fleet })
    observer.onFailed?.(key, new ConnectionError('failed to reach us-1', 'ETIMEDOUT'))
    const text = describeStatus(
      reportOf({ relay: await readRelay(await serveStatus(document)) }),
      NOW + 5_000,
    )
    expect(text).toMatch(/prod +1 +2 +3 +0 +0 +1 \(Timeout 1\) +- +- +-/)
    expect(text).toContain('cluster set prod: last failure 5s ago, Timeout: failed to reach us-1')
    expect(describeStatus(reportOf(), NOW).replace(/\s+/g, ' ')).toContain(
      '--relay URL shows the lag, the last sweep, the last audit and the cluster sets of',
    )
  })

  it('says what waits for a person, unless the slices of a cluster say it themselves', async () => {
    const { observer, document } = createStatusRecord(['eu-1', 'us-1'], () => NOW)
    observer.onSynced?.('eu-1')
    observer.onSynced?.('us-1')
    const done = { created: 0, updated: 0, deleted: 0, attempts: 1 }
    for (const cluster of ['eu-1', 'us-1'])
      for (const service of Array.from({ length: 12 }, (_, index) => `web-${index}`))
        observer.onReconciled?.({
          ...done,
          key: { cluster, namespace: 'shop', service },
          guarded: { acted: { held: 1 }, isBlocked: true },
        })
    observer.onReconciled?.({
      ...done,
      key: { cluster: 'eu-1', namespace: 'shop', service: 'large' },
      guarded: { acted: { oversized: 1 }, isBlocked: true },
    })
    const fleet = { exports: 2, imports: 3, isInConflict: false, blocked: 1, leftOut: 0 }
    observer.onReconciled?.({
      ...done,
      key: { cluster: 'clusterset:prod', namespace: 'shop', service: 'web' },
      fleet,
    })
    const relay = await readRelay(await serveStatus(document))
    expect(problemsOf({ clusters: [CLUSTER], relay }).filter((line) => !line.includes('not ready'))).toEqual([
      'cluster eu-1: 1 Service with too many endpoints to be written (sliceflow explain shows how many): shop/large',
      'cluster us-1: 12 Services with a held plan (sliceflow explain shows it, sliceflow release releases it): shop/web-0, shop/web-1, shop/web-2 and 9 more',
      'cluster set prod: 1 Service with imports that cannot be written (sliceflow explain --fleet shows why): shop/web',
    ])
  })

  it('reports its lanes, where requests can go', async () => {
    const { opened, document } = createStatusRecord([])
    opened({ live: { url: 'http://127.0.0.1:1/live' }, sweep: { url: 'file:///etc/passwd' } })
    let reported = document()
    const url = await serveStatus(() => reported)
    expect((await readRelay(url)).error).toMatch(
      /^its \/status \(200\) cannot be read: lanes\.1\.queue: Invalid URL;/,
    )
    opened({ live: { url: 'http://127.0.0.1:1/live' }, sweep: { url: 'http://127.0.0.1:1/sweep' } })
    reported = document()
    expect((await readRelay(url)).lanes).toEqual([
      { lane: 'live', queue: 'http://127.0.0.1:1/live' },
      { lane: 'sweep', queue: 'http://127.0.0.1:1/sweep' },
    ])
  })

  it('that serves nothing is reported by its state directory, with its queues', async () => {
    const report = reportOf({ relay: { url: '/var/lib/run', lanes: [] }, queues: [] })
    expect(problemsOf(report)).toEqual([])
    expect(describeStatus(report, NOW)).toContain('Relay: /var/lib/run: a run without --metrics-port')
  })

  it('says which cluster sets it has, and which clusters are in them', async () => {
    const clusters = [{ name: 'eu-1' }, { name: 'us-1', id: 'america', role: 'import' }, { tagKey: 'env' }]
    const clusterSets = JSON.stringify([{ name: 'prod', clusters, namespaces: ['shop', 'team-*'] }])
    const settings = contentSettings(parseSettings({ clusterSets }))
    const url = await serveStatus(createStatusRecord(['eu-1'], () => NOW, settings).document)
    expect(describeStatus(reportOf({ relay: await readRelay(url) }), NOW)).toContain(
      '  cluster set prod: eu-1, us-1 (as america, import), tag env; namespaces shop, team-*\n',
    )
  })

  it('of an older version is reported without what it does not know', async () => {
    const clusters = [
      { name: 'eu-1', failures: 2, lastFailure: { at: new Date(NOW).toISOString(), message: 'no' } },
    ]
    const url = await serveStatus(
      () => ({ version: 1, startedAt: new Date(NOW).toISOString(), clusters }) as never,
    )
    const relay = await readRelay(url)
    expect(relay.clusters).toMatchObject([{ failures: 2, waiting: 0, writes: 0 }])
    expect(describeStatus(reportOf({ relay }), NOW)).toMatch(/eu-1 +never .* 2 +- /)
  })

  it('without a status document is what its probes answer', async () => {
    const url = await serveStatus()
    const relay = await readRelay(url)
    expect(relay).toEqual({ url, ready: false, readiness: 'not started yet' })
    expect(describeStatus(reportOf({ relay }), NOW)).toContain('it has no /status')
  })

  it('that does not answer is a problem', async () => {
    const metrics = createMetrics()
    const { url } = await metrics.listen(0)
    await metrics.stop()
    const relay = await readRelay(url)
    expect(problemsOf({ clusters: [], relay })).toEqual([
      expect.stringMatching(/^relay http.*: no answer: .*ECONNREFUSED/),
    ])
  })
})
