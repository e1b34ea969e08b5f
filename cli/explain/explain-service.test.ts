import { describe, expect, it } from 'vitest'
import {
  ANNOTATION_MAXIMUM_REMOVAL,
  ANNOTATION_PACKING,
  ANNOTATION_PAUSED,
  ANNOTATION_SELECTOR,
  seal,
} from '../../shared/changes/index.ts'
import { IN_TREE_CONTROLLER, type Service } from '../../shared/endpointslice/index.ts'
import { type ApiClient, ConnectionError } from '../../shared/kubernetes/index.ts'
import {
  createNodeReader,
  readOnlyClient,
  sealNotes,
  UnknownClusterError,
} from '../../shared/reconciler/index.ts'
import {
  clientOf,
  podOf,
  slicesOf,
  type World,
  worldOf,
} from '../../shared/reconciler/shadow/world.fixtures.ts'
import { parseSettings, type SettingsInput } from '../../shared/settings/index.ts'
import { makeService } from '../../test/support/world/index.ts'
import { describeService, explainService, type ServiceReport } from './index.ts'

const KEY = { cluster: 'a', namespace: 'shop', service: 'web' }
const OURS = 'sliceflow.dev'
const NOW = Date.parse('2026-03-01T12:00:00Z')

const DOWN: ApiClient = {
  ...clientOf(worldOf([])),
  list: () => Promise.reject(new ConnectionError('failed to list Pods of cluster down', 'ECONNREFUSED')),
}

const OTHER = clientOf({ ...worldOf([]), pods: [podOf('web-1', '10.9.0.1'), podOf('web-2', '10.0.0.1')] })

async function tryExplain(world: World, input: SettingsInput = {}): Promise<ServiceReport | undefined> {
  const writes: string[] = []
  const client = readOnlyClient(clientOf(world, writes))
  const report = await explainService({
    clusterOf(name) {
      if (name === 'a') return { client, nodes: createNodeReader(client) }
      if (name === 'other') return { client: OTHER, nodes: createNodeReader(OTHER) }
      if (name === 'down') return { client: DOWN, nodes: createNodeReader(DOWN) }
      throw new UnknownClusterError(`cluster ${name} is not known`)
    },
    key: KEY,
    settings: parseSettings({ mode: 'replace', ...ALLOWED, ...input }),
    signal: new AbortController().signal,
    now: () => NOW,
  })
  expect(writes).toEqual([])
  return report
}

const ALLOWED = { allowedPods: '*/shop=*/shop', allowedAddresses: '*/shop=10.9.0.0/16' }

async function explainWorld(world: World, input?: SettingsInput): Promise<ServiceReport> {
  const report = await tryExplain(world, input)
  if (report === undefined) throw new Error('there is nothing to explain')
  return report
}

const textOf = (report: ServiceReport): string => describeService(report, NOW)
/** Returns the text with single spaces, independent of column widths. */
const wordsOf = (report: ServiceReport): string => textOf(report).replaceAll(/ +/g, ' ')

const withUid = (service: Service): Service => ({
  ...service,
  metadata: { ...service.metadata, uid: 'uid-web' },
})

const annotated = (annotations: Record<string, string>): World => ({
  ...worldOf(['web-1']),
  slices: [],
  service: withUid(
    makeService({ namespace: 'shop', selector: null, annotations, spec: { ipFamilies: ['IPv4'] } }),
  ),
})

describe('the explanation of a Service', () => {
  it('that is paused says since when, what ends it, and what is written then', async () => {
    const world = worldOf(['web-1'])
    world.slices = slicesOf(world, OURS).map(seal)
    const { service } = world
    const annotations = { [ANNOTATION_PAUSED]: '2026-03-01T09:00:00Z' }
    const paused = { ...service, metadata: { ...service?.metadata, annotations } }
    const rest = await explainWorld({ ...world, service: paused })
    expect(rest).toMatchObject({
      management: {
        state: 'Paused',
        reason: expect.stringMatching(/^it is paused since 2026-03-01T09:00:00Z: .*sliceflow.dev\/paused-`$/),
      },
      warnings: [],
      writes: { create: [], update: [], delete: [] },
    })
    const report = await explainWorld({ ...world, service: paused, pods: [] })
    expect(report.writes).toEqual({ create: [], update: [], delete: [] })
    expect(report.warnings[0]).toMatch(/^without the pause the next reconcile would update /)
    expect(wordsOf(report)).toContain('Managed: yes, but paused: it is paused since 2026-03-01T09:00:00Z')
    expect(wordsOf(report)).toContain('Next write: nothing for now: see the warning')
  })

  it('says which of its annotations do not count, and heeds the others', async () => {
    const world = worldOf(['web-1', 'web-2', 'web-3', 'web-4'])
    world.slices = slicesOf(world, OURS).map(seal)
    const { service } = world
    const annotations = { [ANNOTATION_PACKING]: 'tight', [ANNOTATION_MAXIMUM_REMOVAL]: '1' }
    const odd = { ...service, metadata: { ...service?.metadata, annotations } }
    const report = await explainWorld({ ...world, service: odd, pods: [] })
    expect(report.warnings).toEqual([
      'the annotation sliceflow.dev/packing cannot be used: it is neither upstream nor compact; the setting packing holds until it is fixed',
      expect.stringContaining('than the annotation sliceflow.dev/maximum-removal allows'),
    ])
    expect(report.writes).toMatchObject({ create: [], delete: [] })
  })

  it('that is as planned says so of every pod and slice', async () => {
    const world = worldOf(['web-1', 'web-2', 'web-3'])
    world.slices = slicesOf(world, OURS).map(seal)
    const report = await explainWorld(world)
    expect(report).toMatchObject({
      version: 1,
      management: { state: 'Managed', reason: 'it has a selector', plannedFor: OURS },
      source: { kind: 'Pods', namespace: 'shop', selector: 'app=web' },
      managers: [{ managedBy: OURS, isOurs: true, slices: 2, endpoints: 3 }],
      warnings: [],
      writes: { create: [], update: [], delete: [] },
    })
    expect(report.slices.map(({ outcome, seal }) => [outcome, seal])).toEqual([
      ['AsPlanned', 'Sealed'],
      ['AsPlanned', 'Sealed'],
    ])
    for (const line of [
      'Next write: nothing: the slices are as planned',
      'Pods: 3 published, 0 pending, 0 left out',
    ])
      expect(wordsOf(report)).toContain(line)
  })

  it('says that slices of ours have another managed-by value, and what deletes them', async () => {
    const world = worldOf(['web-1'])
    world.slices = [...slicesOf(world, 'old.dev'), ...slicesOf(world, OURS)].map(seal)
    const { warnings } = await explainWorld(world)
    expect(warnings[0]).toMatch(
      /^1 slice of ours has .* old\.dev, .*sliceflow offboard --managed-by old\.dev/,
    )
  })

  it('says that slices of ours stay at a Service that this mode does not manage', async () => {
    const world = annotated({ [ANNOTATION_SELECTOR]: 'app=web' })
    world.slices = slicesOf(worldOf(['web-1']), OURS).map(seal)
    const { management, warnings } = await explainWorld(world)
    expect(management.state).toBe('Unmanaged')
    expect(warnings).toEqual([expect.stringContaining('nothing updates slices of ours that stay')])
  })

  it('says which slices would be written, and what an edit by hand has changed', async () => {
    const world = worldOf(['web-1'])
    const [slice] = slicesOf(world, OURS).map(seal)
    const managedFields = [{ manager: 'kubectl-edit', operation: 'Update', time: '2026-03-01T11:50:00Z' }]
    world.slices = [
      { ...slice, addressType: 'IPv4', endpoints: [], metadata: { ...slice?.metadata, managedFields } },
    ]
    const report = await explainWorld(world)
    expect(report.writes.update).toEqual([slice?.metadata?.name])
    expect(report.slices[0]).toMatchObject({ outcome: 'Update', seal: 'Edited' })
    expect(textOf(report)).toContain('will get shop/web-1: 10.0.0.1 (ready, serving)')
    expect(textOf(report)).toContain('edited since we wrote it, last by kubectl-edit (10m ago)')
  })

  it('warns of a second controller that writes our slices', async () => {
    const world = worldOf(['web-1'])
    const managedFields = [
      { manager: 'sliceflow', operation: 'Update', time: '2026-03-01T11:50:00Z' },
      { manager: 'kube-controller-manager', operation: 'Update', time: '2026-03-01T11:59:56Z' },
    ]
    world.slices = slicesOf(world, OURS)
      .map(seal)
      .map((slice) => ({ ...slice, metadata: { ...slice.metadata, managedFields } }))
    const { warnings } = await explainWorld(world)
    expect(warnings).toEqual([
      expect.stringContaining('kube-controller-manager writes its EndpointSlices, too: turn'),
    ])
  })

  it('warns of two managers that publish the same endpoints', async () => {
    const world = worldOf(['web-1', 'web-2', 'web-3'])
    world.slices = [
      ...slicesOf(world, OURS),
      ...slicesOf(world).map((slice) => ({
        ...slice,
        metadata: { ...slice.metadata, name: `in-tree-${slice.metadata?.name}` },
      })),
    ]
    const { warnings, managers } = await explainWorld(world)
    expect(managers.map(({ managedBy }) => managedBy)).toEqual([OURS, IN_TREE_CONTROLLER])
    expect(warnings.join()).toContain('turn the in-tree controller off')
    expect(warnings.join()).toContain(`${OURS} and ${IN_TREE_CONTROLLER} both publish 3 of its endpoints`)
  })

  it('of the in-tree controller is by its rules, and would write nothing', async () => {
    const report = await explainWorld(worldOf(['web-1']), { mode: 'custom' })
    expect(report.management).toMatchObject({ state: 'Unmanaged', plannedFor: IN_TREE_CONTROLLER })
    expect(report.management.reason).toContain('it has a selector of its own')
    expect(report.endpoints[0]).toMatchObject({ name: 'web-1', outcome: 'Published' })
    expect(report.writes).toEqual({ create: [], update: [], delete: [] })
    expect(textOf(report)).toContain("by the in-tree controller's rules")
  })

  it.each([
    [{ [ANNOTATION_SELECTOR]: 'app in' }, 'Invalid', 'sliceflow.dev/selector cannot be used'],
    [{ [ANNOTATION_SELECTOR]: 'app=web', 'sliceflow.dev/cluster': 'b' }, 'Invalid', 'cluster b is not known'],
    [{}, 'Unmanaged', 'neither a selector nor the annotation'],
    [{ [ANNOTATION_SELECTOR]: 'app=web' }, 'Managed', 'it has the annotation sliceflow.dev/selector'],
    [{ 'sliceflow.dev/addresses': '10.9.0.1' }, 'Managed', 'it has the annotation sliceflow.dev/addresses'],
  ])('with the annotations %j in custom mode is %s', async (annotations, state, reason) => {
    const world = annotated(annotations)
    if (world.service?.spec) world.service.spec.ports = [{ port: 80 }]
    const { management } = await explainWorld(world, { mode: 'custom' })
    expect(management).toMatchObject({ state, reason: expect.stringContaining(reason) })
  })

  it('sends no control characters to a terminal that its annotation holds', async () => {
    const report = await explainWorld(annotated({ [ANNOTATION_SELECTOR]: 'a \u001b[2J\u009b' }), {
      mode: 'custom',
    })
    expect(report.management.reason).toContain('\u001b')
    expect(textOf(report)).not.toMatch(/[^\P{Cc}\n]/u)
  })

  it('whose pods are in a cluster that does not answer is about its slices, and says why', async () => {
    const world = annotated({ [ANNOTATION_SELECTOR]: 'app=web', 'sliceflow.dev/cluster': 'down' })
    world.slices = slicesOf(worldOf(['web-1']), OURS)
    const report = await explainWorld(world, { mode: 'custom' })
    expect(report.management).toEqual({ state: 'Unread', reason: 'failed to list Pods of cluster down' })
    expect(report.writes).toEqual({ create: [], update: [], delete: [] })
    expect(report.slices).toHaveLength(1)
    expect(textOf(report)).toContain('yes, but its pods cannot be read: failed to list Pods of cluster down')
  })

  it('whose pods are in several clusters says of each endpoint which it is of, and which is out of reach', async () => {
    const clusters = { [ANNOTATION_SELECTOR]: 'app=web', 'sliceflow.dev/cluster': 'a,other,down' }
    const report = await explainWorld(annotated(clusters), { mode: 'custom' })
    expect(report.source).toMatchObject({ kind: 'Pods', clusters: ['a', 'other', 'down'] })
    expect(report.source).not.toHaveProperty('cluster')
    expect(report.endpoints.map(({ name, cluster, outcome }) => [name, cluster, outcome])).toEqual([
      ['web-1', 'a', 'Pending'],
      ['web-1', 'other', 'Pending'],
      ['web-2', 'other', 'LeftOut'],
    ])
    expect(report.endpoints[2]?.reasons).toMatchObject([
      { code: 'RefusedAddress', message: expect.stringContaining('is one of cluster a, too') },
    ])
    expect(report.warnings).toEqual([expect.stringMatching(/^failed to list Pods of cluster down: /)])
    expect(report.writes.create).toHaveLength(2)
    expect(wordsOf(report)).toContain('pods with app=web, in namespace shop of clusters a, other, down')
    expect(wordsOf(report)).toContain(' other: web-1 pending ')
  })

  it.each(['auto', 'delete', 'keep'] as const)(
    'that is not managed any more, with leftovers %s',
    async (leftovers) => {
      const world = annotated({})
      world.slices = slicesOf(worldOf(['web-1']), OURS).map(seal)
      const report = await explainWorld(world, { mode: 'custom', leftovers })
      const names = leftovers === 'keep' ? [] : world.slices.map(({ metadata }) => metadata?.name)
      expect(report.writes.delete).toEqual(names)
      expect(report.slices[0]?.outcome).toBe(leftovers === 'keep' ? 'AsPlanned' : 'Delete')
    },
  )

  it('that is not managed any more leaves slices alone that Sliceflow did not make', async () => {
    const world = annotated({})
    world.slices = slicesOf(worldOf(['web-1']), OURS)
    const report = await explainWorld(world, { mode: 'custom' })
    expect(report.writes.delete).toEqual([])
    expect(report.slices[0]).toMatchObject({ outcome: 'AsPlanned', seal: 'Absent' })
  })

  it('that only the other mode would manage keeps its slices, and says what for', async () => {
    const world = worldOf(['web-1'])
    const inTree = world.slices.map((slice) => ({
      ...slice,
      metadata: { ...slice.metadata, name: 'theirs' },
    }))
    world.slices = slicesOf(world, OURS).map(seal)
    const report = await explainWorld(world, { mode: 'custom' })
    expect(report.writes.delete).toEqual([])
    expect(report.warnings.join()).toMatch(/mode custom would delete the slices.*sliceflow release/)

    const [ours] = world.slices
    world.slices = [...world.slices, ...inTree]
    const handedOver = await explainWorld(world, { mode: 'custom' })
    expect(handedOver.writes.delete).toEqual([ours?.metadata?.name])
  })

  it('that is gone is about the slices that it left behind; without any there is nothing to explain', async () => {
    const world = worldOf(['web-1'])
    world.slices = [...slicesOf(world), ...slicesOf(world, OURS)]
    world.service = undefined
    const report = await explainWorld(world)
    expect(report.management.state).toBe('Absent')
    expect(report.slices.map(({ outcome }) => outcome)).toEqual(['Foreign', 'Delete'])
    expect(await tryExplain({ ...world, slices: [] })).toBeUndefined()
  })

  it('reports refused addresses and a held plan', async () => {
    const refused = await explainWorld(worldOf(['web-1']), { refusedAddresses: '10.0.0.0/8' })
    expect(refused.endpoints[0]).toMatchObject({
      outcome: 'LeftOut',
      reasons: [{ code: 'RefusedAddress' }, { code: 'StillPublished' }],
    })
    const world = worldOf(['web-1', 'web-2', 'web-3', 'web-4'])
    world.slices = slicesOf(world, OURS).map(seal)
    world.pods = []
    const first = await explainWorld(world, { maximumRemoval: 0.5 })
    expect(first.warnings.join()).toContain('held since')
    expect(first.writes.delete).toEqual([])

    const since = { 'sliceflow.dev/held-since': new Date(NOW).toISOString() }
    world.slices = world.slices.map(({ metadata, ...slice }) =>
      sealNotes({ ...slice, metadata: { ...metadata, annotations: { ...metadata?.annotations, ...since } } }),
    )
    const held = await explainWorld(world, { maximumRemoval: 0.5 })
    const other = await explainWorld(world)
    expect(other.warnings.join()).toContain('give those that Sliceflow runs with, such as --maximum-removal')
    expect(held.warnings.join()).not.toContain('give those')
    expect(held.writes).toEqual({ create: [], update: [], delete: [] })
    expect(wordsOf(held)).toContain('Next write: nothing for now: see the warning')
  })

  it('of static addresses is about those', async () => {
    const world = annotated({ 'sliceflow.dev/addresses': '10.9.0.1, 10.9.0.2' })
    if (world.service?.spec) world.service.spec.ports = [{ port: 80 }]
    const report = await explainWorld(world, { mode: 'custom' })
    expect(report.endpoints.map(({ kind, name }) => [kind, name])).toEqual([
      ['Address', '10.9.0.1'],
      ['Address', '10.9.0.2'],
    ])
    expect(textOf(report)).toContain('Addresses: 0 published, 2 pending')
  })
})
