import { describe, expect, it } from 'vitest'
import { ANNOTATION_RELEASE, ANNOTATION_SEAL } from '../changes/index.ts'
import {
  type EndpointSlice,
  IN_TREE_CONTROLLER,
  LABEL_MANAGED_BY,
  type Service,
} from '../endpointslice/index.ts'
import { ENDPOINT_SLICES, EVENTS, SERVICES } from '../kubernetes/index.ts'
import { parseSettings } from '../settings/index.ts'
import { heldSince } from './guards/held-plan.ts'
import { atRest, type MemoryCluster, type Settings, sync, webService } from './memory-cluster.fixtures.ts'

const REPLACE = parseSettings({ mode: 'replace' })
const CUSTOM = parseSettings({ mode: 'custom' })
/** Settings that parseSettings() refuses. Those who build their own reconciler may still have them. */
const FORGOTTEN: Settings = { ...CUSTOM, managedBy: IN_TREE_CONTROLLER }

const slices = (cluster: MemoryCluster): EndpointSlice[] => cluster.all(ENDPOINT_SLICES)
const reasons = (cluster: MemoryCluster): (string | undefined)[] =>
  cluster.all(EVENTS).map(({ reason }) => reason)

function patch(cluster: MemoryCluster, change: (service: Service) => Service): void {
  for (const service of cluster.all(SERVICES)) cluster.put(SERVICES, change(service))
}

/** Leaves the same slices as another controller would have made them. */
function unsealed(cluster: MemoryCluster): void {
  for (const slice of slices(cluster)) {
    const { [ANNOTATION_SEAL]: _, ...annotations } = slice.metadata?.annotations ?? {}
    cluster.put(ENDPOINT_SLICES, { ...slice, metadata: { ...slice.metadata, annotations } })
  }
}

describe('the slices of a Service that is not ours', () => {
  it.each([
    ['custom', FORGOTTEN],
    ['replace', parseSettings({ mode: 'replace', managedBy: IN_TREE_CONTROLLER, leftovers: 'delete' })],
  ])('stay untouched in mode %s where another controller made them', async (_mode, settings) => {
    const cluster = await atRest(3, { ...REPLACE, managedBy: IN_TREE_CONTROLLER })
    unsealed(cluster)
    if (settings.mode === 'replace') patch(cluster, (service) => ({ ...service, spec: {} }))
    const before = slices(cluster)

    await sync(cluster, {}, { settings })

    expect(before).toHaveLength(1)
    expect(slices(cluster)).toEqual(before)
    expect(reasons(cluster)).toEqual([])
  })

  it.each([
    ['the in-tree controller’s managed-by value', { ...REPLACE, managedBy: IN_TREE_CONTROLLER }, FORGOTTEN],
    ['Sliceflow’s own', REPLACE, CUSTOM],
  ])('stay where mode replace was forgotten with %s, and go when they are released', async (...modes) => {
    const [, before, after] = modes
    const cluster = await atRest(3, before)

    const held = await sync(cluster, {}, { settings: after })
    const again = await sync(cluster, {}, { settings: after })

    expect(slices(cluster)[0]?.endpoints).toHaveLength(3)
    expect(held).toMatchObject({ updated: 1, deleted: 0, guarded: { acted: { held: 1 } } })
    expect(again).toMatchObject({ updated: 0, deleted: 0, guarded: { acted: { held: 1 } } })
    expect(reasons(cluster)).toEqual(['PlanHeld'])

    const since = heldSince(slices(cluster), 0) ?? ''
    patch(cluster, ({ metadata, ...service }) => ({
      ...service,
      metadata: { ...metadata, annotations: { [ANNOTATION_RELEASE]: since } },
    }))
    await sync(cluster, {}, { settings: after })
    expect(slices(cluster)).toEqual([])
  })

  it('are kept right again when the mode is set back, without the note', async () => {
    const cluster = await atRest(3, REPLACE)
    const [made] = slices(cluster)
    await sync(cluster, {}, { settings: CUSTOM })

    await sync(cluster, {}, { settings: REPLACE })

    expect(heldSince(slices(cluster), 0)).toBeUndefined()
    expect(slices(cluster).map(({ metadata }) => metadata?.uid)).toEqual([made?.metadata?.uid])
  })

  it('go without a hold when another controller publishes the Service a moment later', async () => {
    const cluster = await atRest(3, REPLACE)
    let lists = 0
    cluster.before = (call) => {
      // Ours, everybody's, and then after the pause.
      if (call !== 'list endpointslices' || ++lists !== 3) return
      for (const { metadata, ...slice } of slices(cluster)) {
        const labels = { ...metadata?.labels, [LABEL_MANAGED_BY]: IN_TREE_CONTROLLER }
        cluster.put(ENDPOINT_SLICES, { ...slice, metadata: { ...metadata, name: 'in-tree', labels } })
      }
    }

    const outcome = await sync(cluster, {}, { settings: CUSTOM })

    expect(outcome).toMatchObject({ updated: 0, deleted: 1 })
    expect(slices(cluster).map(({ metadata }) => metadata?.name)).toEqual(['in-tree'])
    expect(reasons(cluster)).toEqual([])
  })

  it('go at once in custom mode where the annotation was taken off', async () => {
    const selector = { 'sliceflow.dev/selector': 'app=web' }
    const cluster = await atRest(3, CUSTOM, webService({ selector: undefined }, selector))
    expect(slices(cluster)).toHaveLength(1)
    patch(cluster, ({ metadata, ...service }) => ({ ...service, metadata: { ...metadata, annotations: {} } }))

    await sync(cluster, {}, { settings: CUSTOM })

    expect(slices(cluster)).toEqual([])
  })
})

describe('the slices of a Service that is gone', () => {
  it('stay where nothing tells that they were ours or the Service’s', async () => {
    const cluster = await atRest(3, REPLACE)
    unsealed(cluster)
    for (const slice of slices(cluster))
      cluster.put(ENDPOINT_SLICES, { ...slice, metadata: { ...slice.metadata, ownerReferences: [] } })
    cluster.remove(SERVICES, 'web')

    await sync(cluster, {}, { settings: REPLACE })

    expect(slices(cluster)).toHaveLength(1)
  })

  it('go where the Service owned them, whoever made them', async () => {
    const cluster = await atRest(3, REPLACE)
    unsealed(cluster)
    cluster.remove(SERVICES, 'web')

    await sync(cluster, {}, { settings: REPLACE })

    expect(slices(cluster)).toEqual([])
  })
})
