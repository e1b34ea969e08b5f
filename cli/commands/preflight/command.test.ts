import { execPath } from 'node:process'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { parse, stringify } from 'yaml'
import { certificateAuthority } from '../../../shared/control-plane/index.ts'
import { serverOf, withServer, withToken } from '../../../test/support/kubeconfig.ts'
import { findInstallation } from '../../package.ts'
import { type Permission, type PreflightReport, readRoleGroup } from '../../preflight/index.ts'
import { runHere, runSliceflow } from '../../program.fixtures.ts'
import { type GuardedCluster, SOON_TOKEN, startGuardedCluster, tokenUntil } from './preflight.fixtures.ts'
import { runPreflight } from './run.ts'

const CONTEXT = 'eu-1'
const { folder } = findInstallation()
const { permissions: NEEDED } = await readRoleGroup(folder, {})
const { permissions: READ_BESIDE } = await readRoleGroup(folder, { preflight: true })
const ALL = [...NEEDED, ...READ_BESIDE]

let cluster: GuardedCluster
beforeAll(async () => {
  cluster = await startGuardedCluster(CONTEXT)
})
afterAll(() => cluster.stop())
beforeEach(() => cluster.grant(ALL))

interface Checked {
  readonly code: number
  readonly report: PreflightReport
}

async function check(kubeconfig: string, ...flags: readonly string[]): Promise<Checked> {
  const file = await cluster.file(kubeconfig)
  const { code, stdout, stderr } = await runSliceflow(
    ...['preflight', '--kubeconfig', file, '-o', 'json'],
    ...flags,
  )
  if (stdout === '') expect.fail(stderr)
  return { code, report: JSON.parse(stdout) }
}

const without = (lost: Permission): Permission[] =>
  ALL.filter(
    ({ group, resource, verb }) => group !== lost.group || resource !== lost.resource || verb !== lost.verb,
  )

const byVerbs = (some: readonly Permission[]): string => some.map(({ verb }) => verb).join(' and ')

/** Gives the only cluster of a kubeconfig further fields. */
function withCluster(text: string, more: Readonly<Record<string, unknown>>): string {
  const { clusters, ...config } = parse(text)
  return stringify({
    ...config,
    clusters: clusters.map((one: { cluster: object }) => ({ ...one, cluster: { ...one.cluster, ...more } })),
  })
}

interface Row {
  readonly name: string
  /** Kubeconfig of the cluster as it is in this row. */
  readonly kubeconfig: () => string | Promise<string>
  /** Permissions that we have; default: all that are needed. */
  readonly has?: readonly Permission[]
  readonly code: 0 | 1 | 3
  /** The check that finds it; absent of a good cluster. */
  readonly found?: { readonly name: string; readonly reason: RegExp; readonly advice: RegExp }
}

const lost = (permission: Permission): Row => ({
  name: `without ${permission.verb} of ${permission.resource}`,
  kubeconfig: () => cluster.text,
  has: without(permission),
  code: isDispensable(permission) ? 3 : 1,
  found: {
    name: 'permissions',
    reason: new RegExp(`^we may not ${byVerbs([permission])} ${permission.resource}`),
    advice: /^sliceflow rbac \| kubectl --kubeconfig \S+ --context eu-1 apply -f -$/,
  },
})

const isDispensable = ({ resource }: Permission): boolean =>
  ['events', 'services/finalizers', 'namespaces'].includes(resource)

const DISTANT = 24 * 3_600_000

const ROWS: readonly Row[] = [
  { name: 'as it should be', kubeconfig: () => cluster.text, code: 0 },
  // One that run needs, and those that it does without.
  ...NEEDED.filter((one, index) => index === 0 || isDispensable(one)).map(lost),
  {
    name: 'with an expired token',
    kubeconfig: () => withToken(cluster.text, tokenUntil(1_700_000_000)),
    code: 1,
    found: {
      name: 'credentials',
      reason: /^the token of context eu-1 has expired: it ended at 2023-11-14/,
      advice: /^log in again/,
    },
  },
  {
    name: 'with a token that ends in an hour, and that nothing renews',
    kubeconfig: () => withToken(cluster.text, SOON_TOKEN),
    code: 3,
    found: {
      name: 'credentials',
      reason: /^the token ends in (59|60) min .* nothing renews it/,
      advice: /tokenFile/,
    },
  },
  {
    name: 'with a token that ends later than any date',
    kubeconfig: () => withToken(cluster.text, tokenUntil(Number.MAX_SAFE_INTEGER)),
    code: 0,
  },
  { name: 'with a client certificate of an administrator', kubeconfig: () => cluster.adminText, code: 0 },
  {
    name: 'with a token that the server does not know',
    kubeconfig: () => withToken(cluster.text, 'unknown'),
    code: 1,
    found: { name: 'user', reason: /refuses the credentials \(401\)/, advice: /auth whoami$/ },
  },
  {
    name: 'with another certificate authority',
    kubeconfig: async () => {
      const { certificate } = await certificateAuthority()
      return withServer(cluster.text, serverOf(cluster.text).origin, certificate)
    },
    code: 1,
    found: {
      name: 'server',
      reason: /not signed by the certificate authority given for it/,
      advice: /certificate-authority-data/,
    },
  },
  {
    name: 'whose certificate nobody verifies',
    kubeconfig: () =>
      withCluster(cluster.text, {
        'certificate-authority-data': undefined,
        'insecure-skip-tls-verify': true,
      }),
    code: 3,
    found: { name: 'server certificate', reason: /not verified/, advice: /insecure-skip-tls-verify/ },
  },
  {
    name: 'where nothing listens',
    kubeconfig: () => withServer(cluster.text, 'https://127.0.0.1:1'),
    code: 1,
    found: { name: 'server', reason: /ECONNREFUSED/, advice: /config view --minify/ },
  },
  {
    name: 'behind a dead proxy',
    kubeconfig: () => withCluster(cluster.text, { 'proxy-url': 'http://127.0.0.1:1' }),
    code: 1,
    found: { name: 'server', reason: /^the proxy does not answer: .*127\.0\.0\.1:1/, advice: /proxy-url/ },
  },
  {
    name: 'of a version that is not tested any more',
    kubeconfig: () => cluster.front({ version: 'v1.29.4-eks-036c24b' }),
    code: 3,
    found: {
      name: 'version',
      reason: /^v1\.29\.4\S* is older .* 1\.33 to 1\.37$/,
      advice: /^upgrade the cluster/,
    },
  },
  {
    name: 'of a version that is not tested yet',
    kubeconfig: () => cluster.front({ version: 'v1.38.0' }),
    code: 3,
    found: { name: 'version', reason: /is newer/, advice: /npm install sliceflow@latest/ },
  },
  {
    name: 'too old for EndpointSlices',
    kubeconfig: () => cluster.front({ version: 'v1.20.15' }),
    code: 1,
    found: { name: 'version', reason: /has no EndpointSlices/, advice: /^upgrade the cluster/ },
  },
  {
    name: 'whose clock is a day behind',
    kubeconfig: () => cluster.front({ date: new Date(Date.now() - DISTANT) }),
    code: 3,
    found: { name: 'clock', reason: /is 24 h ahead of the server’s/, advice: /set-ntp/ },
  },
]

describe('sliceflow preflight on a cluster', () => {
  it.each(ROWS)('$name exits with $code and names it', async ({ kubeconfig, has = ALL, code, found }) => {
    await cluster.grant(has)
    const result = await check(await kubeconfig())
    const checks = result.report.clusters.flatMap((one) => one.checks)
    if (found !== undefined)
      expect(checks).toContainEqual({
        name: found.name,
        mark: code === 1 ? 'failure' : 'warning',
        reason: expect.stringMatching(found.reason),
        advice: expect.stringMatching(found.advice),
      })
    else expect(checks.filter(({ mark }) => mark !== 'ok')).toEqual([])
    expect(result).toMatchObject({ code })
  })

  it('names every permission that is missing', async () => {
    await cluster.grant([])
    const { report } = await check(cluster.text)
    const found = report.clusters.flatMap(({ checks }) => checks).find(({ name }) => name === 'permissions')
    const parts = found?.reason?.replace('we may not ', '').split(', ') ?? []
    for (const { verb, resource } of NEEDED)
      expect(parts).toContainEqual(expect.stringMatching(new RegExp(`\\b${verb}\\b.* ${resource}(?![/\\w])`)))
  })

  it('whose certificate ends soon exits with 3 and says when', async () => {
    const years = 10
    const end = new Date()
    end.setFullYear(end.getFullYear() + years)
    vi.useFakeTimers({ toFake: ['Date'], now: end.getTime() - 20 * 24 * 3_600_000 })
    onTestFinished(() => void vi.useRealTimers())
    const { code, report } = await check(cluster.text)
    expect(report.clusters[0]?.checks).toContainEqual(
      expect.objectContaining({
        name: 'server certificate',
        mark: 'warning',
        reason: expect.stringMatching(/^the server’s certificate ends in (1[5-9]|20) days/),
      }),
    )
    expect(code).toBe(3)
  })

  /** Checks with little patience. */
  async function checkSoon(kubeconfig: string, timeoutMs: number) {
    const flags = {
      fleetNamespaces: '*',
      fleetRole: [],
      fleetId: [],
      fleetProperty: [],
      canary: false,
      ignoreWarnings: false,
    }
    const file = await cluster.file(kubeconfig)
    const options = { ...flags, kubeconfig: [file], context: [], output: 'json' as const }
    const { code, stdout, stderr } = await runHere(async () => {
      await runPreflight(options, timeoutMs)
      return undefined
    })
    const [one] = (JSON.parse(stdout) as PreflightReport).clusters
    return { code, stderr, checks: one?.checks ?? [] }
  }

  it('that hangs exits with 1 and is named as such', async () => {
    const port = await cluster.silence()
    const { code, checks } = await checkSoon(withServer(cluster.text, `https://127.0.0.1:${port}`), 300)
    const [first, ...later] = checks
    expect(first).toMatchObject({
      name: 'server',
      mark: 'failure',
      reason: expect.stringMatching(/^the server hangs/),
    })
    expect(new Set(later.map(({ mark }) => mark))).toEqual(new Set(['unchecked']))
    expect(code).toBe(1)
  })

  it('whose exec plugin hangs exits with 1, and the plugin is named', async () => {
    const { users, ...config } = parse(cluster.text)
    const apiVersion = 'client.authentication.k8s.io/v1'
    const args = ['-e', 'setInterval(() => {}, 1000)']
    const exec = { apiVersion, command: execPath, args, interactiveMode: 'Never' }
    const kubeconfig = stringify({ ...config, users: [{ name: users[0].name, user: { exec } }] })
    const { code, checks } = await checkSoon(kubeconfig, 300)
    expect(checks[0]).toEqual({
      name: 'server',
      mark: 'failure',
      reason: expect.stringMatching(
        /^the credentials of cluster eu-1 did not come within 0.3 s: does its exec/,
      ),
    })
    expect(code).toBe(1)
  })

  it('checks what mirroring, a cluster set and a shadow need, and names their roles', async () => {
    const mirroring = await check(cluster.text, '--mirror-endpoints')
    expect(mirroring.report.clusters[0]?.checks).toContainEqual(
      expect.objectContaining({
        name: 'permissions of mirroring',
        mark: 'failure',
        advice: expect.stringMatching(/^sliceflow rbac --mirroring \| /),
      }),
    )
    const fleet = await check(cluster.text, '--fleet')
    expect(fleet.report.clusters[0]?.checks).toContainEqual(
      expect.objectContaining({
        name: 'permissions of the cluster set',
        mark: 'failure',
        advice: expect.stringMatching(/^sliceflow rbac --fleet \| /),
      }),
    )
    const canary = await check(cluster.text, '--canary')
    expect(canary.report.clusters[0]?.checks).toContainEqual(
      expect.objectContaining({
        name: 'permissions of the canary',
        reason: expect.stringContaining('patch services sliceflow-canary in namespace sliceflow-canary'),
      }),
    )
    await cluster.grant([])
    const shadow = await check(cluster.text, '--shadow')
    expect(shadow.report.clusters[0]?.checks).toContainEqual(
      expect.objectContaining({
        name: 'permissions',
        advice: expect.stringMatching(/ rbac --read-only \| /),
      }),
    )
  })

  it('with exactly the roles of run exits with 0, and says what the other checks need', async () => {
    await cluster.grant(NEEDED)
    const { code, report } = await check(cluster.text, '--mode', 'replace')
    const checks = report.clusters.flatMap((one) => one.checks).filter(({ mark }) => mark !== 'ok')
    expect(checks.map(({ name, mark }) => `${name} ${mark}`)).toEqual([
      'in-tree controller unchecked',
      'priority unchecked',
    ])
    for (const { advice } of checks) expect(advice).toMatch(/^sliceflow rbac --preflight \| kubectl /)
    expect({ code, outcome: report.outcome }).toEqual({ code: 0, outcome: 'ok' })
  })

  it('prints a line for each check, with a mark, a reason and what to type', async () => {
    await cluster.grant(ALL.filter(({ resource }) => resource !== 'pods'))
    const file = await cluster.file(cluster.text)
    const { stdout, code } = await runSliceflow('preflight', '--kubeconfig', file)
    expect(code).toBe(1)
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^eu-1 \(https:\/\/127\.0\.0\.1:\d+\)$/),
        expect.stringMatching(/^ {2}✓ version: v1\.36\.4; Sliceflow is tested with 1\.33 to 1\.37$/),
        expect.stringMatching(/^ {2}✓ user: sliceflow of sliceflow, system:authenticated$/),
        expect.stringMatching(
          /^ {2}✗ permissions: we may not get and list and watch pods → sliceflow rbac \| kubectl /,
        ),
        'run would fail',
      ]),
    )
  })

  it('names the cluster that it waits for', async () => {
    const port = await cluster.silence()
    const { stderr } = await checkSoon(withServer(cluster.text, `https://127.0.0.1:${port}`), 1_500)
    expect(stderr).toContain('sliceflow: checking; waiting for eu-1\n')
  })
})
