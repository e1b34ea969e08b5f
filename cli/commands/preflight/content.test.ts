import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ANNOTATION_SELECTOR, seal } from '../../../shared/changes/index.ts'
import {
  ENDPOINT_SELECTOR_OWNER,
  type EndpointSlice,
  IN_TREE_CONTROLLER,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
} from '../../../shared/endpointslice/index.ts'
import { defineKinds } from '../../../shared/fleet/crds.fixtures.ts'
import {
  type ApiObject,
  ENDPOINT_SLICES,
  NODES,
  PODS,
  type Resource,
  SERVICES,
} from '../../../shared/kubernetes/index.ts'
import { mergeKubeconfigs } from '../../../test/support/kubeconfig.ts'
import { createRawClient } from '../../../test/support/raw-client.ts'
import { findInstallation } from '../../package.ts'
import { type Permission, type PreflightReport, readRoleGroup } from '../../preflight/index.ts'
import { runSliceflow } from '../../program.fixtures.ts'
import { type GuardedCluster, startGuardedCluster } from './preflight.fixtures.ts'

const { folder } = findInstallation()
const ALL: readonly Permission[] = (
  await Promise.all(
    [{}, { preflight: true }, { fleet: 'both' as const }].map((options) => readRoleGroup(folder, options)),
  )
).flatMap(({ permissions }) => permissions)
const FLOW_SCHEMAS: Resource<ApiObject> = {
  ...{ group: 'flowcontrol.apiserver.k8s.io', version: 'v1', kind: 'FlowSchema' },
  ...{ plural: 'flowschemas', namespaced: false },
}
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices'
const IN_TREE = { 'user-agent': 'kube-controller-manager/v1.36.4' }
const REPLACE = ['--mode', 'replace'] as const

let clusters: GuardedCluster[]

/** Gives each test of a block these clusters. */
function useClusters(...names: readonly string[]): void {
  beforeEach(async () => {
    clusters = await Promise.all(names.map(startGuardedCluster))
    for (const each of clusters) await each.grant(ALL)
  })
  afterEach(async () => {
    for (const each of clusters) await each.stop()
  })
}

const cluster = (at = 0): GuardedCluster => clusters[at] ?? expect.fail('no such cluster')

async function check(
  text: string,
  ...flags: readonly string[]
): Promise<{ code: number; report: PreflightReport }> {
  const file = await cluster().file(text)
  const ran = await runSliceflow('preflight', '--kubeconfig', file, '-o', 'json', ...flags)
  if (ran.stdout === '') expect.fail(ran.stderr)
  return { code: ran.code, report: JSON.parse(ran.stdout) }
}

/** Returns one finding, and the exit code. */
async function find(name: string, ...flags: readonly string[]) {
  const { code, report } = await check(cluster().text, ...flags)
  return { code, ...report.clusters[0]?.checks.find((one) => one.name === name) }
}

const slice = (name: string, managedBy: string, service = 'web'): EndpointSlice => ({
  metadata: {
    namespace: 'shop',
    name,
    labels: { [LABEL_SERVICE_NAME]: service, [LABEL_MANAGED_BY]: managedBy },
  },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'] }],
  ports: [],
})

/** Writes a slice as kube-controller-manager does. */
async function writeInTree(object: EndpointSlice): Promise<void> {
  const admin = createRawClient(cluster().adminText)
  const { status, text } = await admin.send('POST', SLICES, { body: object, headers: IN_TREE })
  admin.close()
  expect(status, text).toBe(201)
}

async function addLease(renewTime: Date): Promise<void> {
  const admin = createRawClient(cluster().adminText)
  const { status, text } = await admin.post(LEASES, {
    metadata: { name: 'kube-controller-manager' },
    spec: { holderIdentity: 'control-1', renewTime: renewTime.toISOString().replace('Z', '000Z') },
  })
  admin.close()
  expect(status, text).toBe(201)
}

describe('sliceflow preflight on what is in a cluster', () => {
  useClusters('eu-1')

  it('names the in-tree controller that is on, before Sliceflow works in its place', async () => {
    await writeInTree(slice('web-1', IN_TREE_CONTROLLER))
    expect(await find('in-tree controller', ...REPLACE)).toEqual({
      code: 1,
      name: 'in-tree controller',
      mark: 'failure',
      reason: expect.stringMatching(
        /^it is on: kube-controller-manager wrote slice shop\/web-1 [\d.]+ m?s ago/,
      ),
      advice: expect.stringContaining('--controllers=*,-endpointslice-controller'),
    })
    expect(await find('in-tree controller', ...REPLACE, '--shadow')).toMatchObject({ mark: 'ok' })
    expect(await find('in-tree controller')).toMatchObject({ code: 0, mark: 'ok' })
  })

  it('names it where it writes slices of ours as well', async () => {
    await cluster().admin.create(SERVICES, {
      metadata: { namespace: 'shop', name: 'web', annotations: { [ANNOTATION_SELECTOR]: 'app=web' } },
      spec: { ports: [{ port: 80 }] },
    })
    await writeInTree(slice('web-1', 'sliceflow.dev'))
    expect(await find('in-tree controller')).toMatchObject({
      code: 1,
      mark: 'failure',
      reason: expect.stringMatching(/^kube-controller-manager wrote a slice of ours of shop\/web at /),
    })
  })

  it.each([
    [
      'runs, and whether its controller is off cannot be seen',
      0,
      'warning',
      /^kube-controller-manager runs \(control-1/,
    ],
    ['does not run', 3_600_000, 'ok', /its lease is not renewed$/],
  ] as const)('says that kube-controller-manager %s', async (_, age, mark, reason) => {
    await addLease(new Date(Date.now() - age))
    expect(await find('in-tree controller', ...REPLACE)).toMatchObject({
      mark,
      reason: expect.stringMatching(reason),
    })
  })

  it('says what it could not read that run never needs, and which command mends that', async () => {
    await cluster().grant(ALL.filter(({ resource }) => resource !== 'leases' && resource !== 'flowschemas'))
    const advice = expect.stringMatching(
      /^sliceflow rbac --preflight \| kubectl .*--context eu-1 apply -f -$/,
    )
    const reason = expect.stringMatching(/^cannot be checked: failed to /)
    expect(await find('in-tree controller', ...REPLACE)).toMatchObject({
      code: 0,
      mark: 'unchecked',
      reason,
      advice,
    })
    expect(await find('priority')).toMatchObject({ code: 0, mark: 'unchecked', reason, advice })
  })

  it('finds slices of other settings, and says what deletes them', async () => {
    await cluster().admin.create(ENDPOINT_SLICES, seal(slice('web-1', 'other.example.com')))
    expect(await find('other slices')).toMatchObject({
      code: 3,
      mark: 'warning',
      reason: expect.stringContaining('1 with managed-by other.example.com, such as shop/web-1'),
      advice: expect.stringContaining('sliceflow offboard --context eu-1 --managed-by other.example.com'),
    })
  })

  it('finds slices of objects that the settings publish no more, and says what does or deletes them', async () => {
    const { metadata, ...content } = slice('pool-1', 'sliceflow.dev')
    const labels = { [ENDPOINT_SELECTOR_OWNER.nameLabel]: 'pool', [LABEL_MANAGED_BY]: 'sliceflow.dev' }
    const made = { ...content, metadata: { ...metadata, labels } }
    await cluster().admin.create(ENDPOINT_SLICES, seal(made))
    const { advice } = await find('other slices')
    expect(advice).toMatch(/^nothing updates them without the setting endpointSelectors: /)
  })

  it('counts what a first start would write, and warns of what it would delete', async () => {
    const { admin } = cluster()
    const annotations = { [ANNOTATION_SELECTOR]: 'app=web' }
    await admin.create(SERVICES, {
      metadata: { namespace: 'shop', name: 'web', annotations },
      spec: { ports: [{ port: 80 }] },
    })
    await admin.create(PODS, {
      metadata: { namespace: 'shop', name: 'web-1', labels: { app: 'web' } },
      spec: { nodeName: 'a', containers: [{ name: 'web', image: 'web' }] },
    } as ApiObject)
    expect(await find('first start')).toMatchObject({
      code: 0,
      mark: 'ok',
      reason: 'it would create 1, update 0, delete 0 (1 Service, 0 slices without one)',
    })
    await admin.create(ENDPOINT_SLICES, seal(slice('gone-1', 'sliceflow.dev', 'gone')))
    expect(await find('first start')).toMatchObject({
      code: 3,
      mark: 'warning',
      reason: 'it would create 1, update 0, delete 1 (1 Service, 1 slice without one)',
      advice: expect.stringContaining('sliceflow status --check'),
    })
  })

  it('warns where no FlowSchema but catch-all has our requests', async () => {
    // A server recreates the suggested ones, unless an annotation disables that.
    await cluster().admin.patch(
      FLOW_SCHEMAS,
      { name: 'global-default' },
      { metadata: { annotations: { 'apf.kubernetes.io/autoupdate-spec': 'false' } }, spec: { rules: [] } },
    )
    expect(await find('priority')).toMatchObject({
      code: 3,
      mark: 'warning',
      reason: expect.stringMatching(/^no FlowSchema matches sliceflow: .* catch-all/),
      advice: expect.stringContaining('FlowSchema'),
    })
  })

  it('names a cluster that two contexts lead to', async () => {
    const twice = mergeKubeconfigs([cluster().text, cluster().text.replaceAll('eu-1', 'eu-2')])
    const { code, report } = await check(twice, '--context', 'eu-1', '--context', 'eu-2')
    const [first, second] = report.clusters.map(({ checks }) =>
      checks.find(({ name }) => name === 'identity'),
    )
    expect(first).toMatchObject({ mark: 'ok' })
    expect(second).toMatchObject({
      mark: 'failure',
      reason: expect.stringMatching(
        /^clusters "eu-1" and "eu-2" are one cluster: both have a namespace kube-system/,
      ),
      advice: expect.stringContaining('leave --context eu-2 out'),
    })
    expect(code).toBe(1)
  })
})

describe('sliceflow preflight on a cluster set', () => {
  useClusters('eu-1', 'us-1')
  const both = () => mergeKubeconfigs(clusters.map(({ text }) => text))
  const FLEET = ['--fleet', '--context', 'eu-1', '--context', 'us-1'] as const

  it('names definitions that lack, and what brings them', async () => {
    await defineKinds(cluster(0).admin)
    const { code, report } = await check(both(), ...FLEET)
    const found = report.clusters.map(({ checks }) => checks.find(({ name }) => name === 'definitions'))
    expect(found).toEqual([
      { name: 'definitions', mark: 'ok', reason: 'serves ServiceExport v1beta1 and ServiceImport v1beta1' },
      {
        name: 'definitions',
        mark: 'failure',
        reason: expect.stringMatching(/does not serve ServiceExport and ServiceImport/),
        advice: expect.stringMatching(/^sliceflow crds --fleet \| kubectl .*--context us-1 apply -f -$/),
      },
    ])
    expect(code).toBe(1)
  })

  it('warns of Pod ranges that overlap, and counts what the set would write', async () => {
    const ranges = [['10.1.0.0/24'], ['10.1.0.128/25', 'fd00::/64']]
    for (const [at, podCIDRs] of ranges.entries()) {
      await defineKinds(cluster(at).admin)
      const node = { metadata: { name: 'a' }, spec: { podCIDR: podCIDRs[0], podCIDRs } }
      await cluster(at).admin.create(NODES, node as ApiObject)
    }
    const { code, report } = await check(both(), ...FLEET)
    for (const { name, checks } of report.clusters) {
      const other = name === 'eu-1' ? 'us-1' : 'eu-1'
      expect(checks.filter(({ mark }) => mark !== 'ok')).toEqual([
        {
          name: 'Pod ranges',
          mark: 'warning',
          reason: expect.stringMatching(new RegExp(`^Pod ranges overlap: 10\\.1\\.0\\.\\S+ with ${other}`)),
          advice: expect.stringContaining('--fleet-role CONTEXT=leave'),
        },
      ])
    }
    expect(code).toBe(3)
  })

  it('asks of a cluster that only exports no more than its role has', async () => {
    const roles = ['--fleet-role', 'eu-1=export', '--fleet-role', 'us-1=import']
    for (const each of clusters) {
      await defineKinds(each.admin)
      await each.grant(ALL.filter(({ group }) => group !== 'multicluster.x-k8s.io'))
    }
    const { report } = await check(both(), ...FLEET, ...roles)
    const advice = report.clusters.map(
      ({ checks }) => checks.find(({ name }) => name === 'permissions of the cluster set')?.advice,
    )
    expect(advice).toEqual([
      expect.stringMatching(/^sliceflow rbac --fleet export \| /),
      expect.stringMatching(/^sliceflow rbac --fleet import \| /),
    ])
  })
})
