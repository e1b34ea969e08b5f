import { describe, expect, it } from 'vitest'
import {
  ANNOTATION_PACKING,
  ANNOTATION_PAUSED,
  ANNOTATION_SELECTOR,
  seal,
} from '../../shared/changes/index.ts'
import {
  type EndpointSlice,
  IN_TREE_CONTROLLER,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
  MIRRORING_CONTROLLER,
  type Service,
} from '../../shared/endpointslice/index.ts'
import { type ApiClient, matchesLabels, parseLabelSelector } from '../../shared/kubernetes/index.ts'
import { ANNOTATION_HELD_SINCE, ANNOTATION_REPAIRS } from '../../shared/reconciler/index.ts'
import { parseSettings, type SettingsInput } from '../../shared/settings/index.ts'
import { type Inventory, readInventory } from './read-inventory.ts'

const service = (name: string, selector: string | undefined = 'app=web'): Service => ({
  metadata: { name, namespace: 'shop', annotations: { [ANNOTATION_SELECTOR]: selector } },
  spec: {},
})

const unmanaged = (name: string): Service => ({ metadata: { name, namespace: 'shop' }, spec: {} })

const slice = (name: string, of: string, more: EndpointSlice['metadata'] = {}): EndpointSlice => ({
  metadata: {
    name,
    namespace: 'shop',
    labels: { [LABEL_SERVICE_NAME]: of, [LABEL_MANAGED_BY]: 'sliceflow.dev' },
    ...more,
  },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'] }],
})

const ON = { mirrorEndpoints: true }
const owned = (ownerReferences: NonNullable<EndpointSlice['metadata']>['ownerReferences']) => ({
  ...(ownerReferences && { ownerReferences }),
})

/** Answers lists as an API server does. */
function inventoryOf(
  services: readonly Service[],
  slices: readonly EndpointSlice[],
  settings: SettingsInput = {},
): Promise<Inventory> {
  const client: Partial<ApiClient> = {
    cluster: 'a',
    read: async <T>() => ({ gitVersion: 'v1.36.4' }) as T,
    async *pages({ kind }, { labelSelector = '' } = {}) {
      const wanted = parseLabelSelector(labelSelector)
      const found = slices.filter(({ metadata }) => matchesLabels(wanted, metadata?.labels ?? {}))
      const items = (kind === 'Service' ? services : found) as never[]
      yield { items, metadata: { resourceVersion: '1' } }
    },
  }
  return readInventory(client as ApiClient, parseSettings(settings))
}

describe('the inventory of a cluster', () => {
  it('counts what is managed, and reads that only', async () => {
    const services = [service('web'), service('bad', 'app in'), unmanaged('other')]
    const found = await inventoryOf(services, [slice('web-1', 'web'), slice('bad-1', 'bad')])
    expect(found).toMatchObject({ services: 1, invalid: ['shop/bad'], slices: 2, endpoints: 2, orphans: [] })
    expect(found.keys).toEqual([{ cluster: 'a', namespace: 'shop', service: 'web' }])
  })

  it('names paused Services and since when, and reads none of them nor their slices', async () => {
    const of = (name: string, annotations: Record<string, string>): Service => ({
      ...service(name),
      metadata: {
        ...service(name).metadata,
        annotations: { [ANNOTATION_SELECTOR]: 'app=web', ...annotations },
      },
    })
    const services = [
      of('web', { [ANNOTATION_PAUSED]: '2026-03-01T12:00:00+02:00' }),
      of('api', { [ANNOTATION_PAUSED]: 'true' }),
      of('odd', { [ANNOTATION_PAUSED]: 'yes' }),
      {
        ...unmanaged('other'),
        metadata: { ...unmanaged('other').metadata, annotations: { [ANNOTATION_PAUSED]: 'true' } },
      },
    ]
    const slices = ['web', 'api', 'odd', 'other'].map((name) => seal(slice(`${name}-1`, name)))
    const found = await inventoryOf(services, slices)
    expect(found).toMatchObject({
      paused: [{ service: 'shop/web', since: '2026-03-01T10:00:00Z' }, { service: 'shop/api' }],
      ...{ services: 0, keys: [], orphans: [], leftBehind: [], invalid: ['shop/odd'] },
    })
  })

  it('names managed Services of which an annotation does not count', async () => {
    const odd = { [ANNOTATION_SELECTOR]: 'app=web', [ANNOTATION_PACKING]: 'tight' }
    const web = { ...service('web'), metadata: { ...service('web').metadata, annotations: odd } }
    expect(await inventoryOf([web], [])).toMatchObject({ services: 1, invalid: ['shop/web'] })
  })

  it.each([
    ['auto', ['shop/other-1', 'shop/gone-1']],
    ['keep', ['shop/gone-1']],
  ])('names slices without a managed Service, with leftovers %s', async (leftovers, orphans) => {
    const slices = [slice('other-1', 'other'), slice('gone-1', 'gone')]
    expect(await inventoryOf([unmanaged('other')], slices, { leftovers })).toMatchObject({ orphans })
  })

  it.each<[string, Service, SettingsInput, readonly string[]]>([
    ['of a mode that asked for an annotation', service('web'), { mode: 'replace' }, ['shop/web-1']],
    [
      'of one that asked for it, though kept',
      service('web'),
      { mode: 'replace', leftovers: 'keep' },
      ['shop/web-1'],
    ],
    ['of a Service that lost its selector', unmanaged('web'), { mode: 'replace' }, ['shop/web-1']],
    ['that are to be kept', unmanaged('web'), { leftovers: 'keep' }, []],
    ['that are to be deleted', unmanaged('web'), {}, []],
    ['of a managed Service', service('web'), {}, []],
  ])('names slices of ours that nothing updates: %s', async (_, of, settings, expected) => {
    const { leftBehind } = await inventoryOf(
      [of],
      [seal(slice('web-1', 'web')), slice('foreign', 'web')],
      settings,
    )
    expect(leftBehind).toEqual(expected.map((name) => ({ slice: name, managedBy: 'sliceflow.dev' })))
  })

  it('names slices that we made under another managed-by value, and not those of others', async () => {
    const under = (value: string) => ({ labels: { [LABEL_SERVICE_NAME]: 'web', [LABEL_MANAGED_BY]: value } })
    const slices = [
      seal(slice('old-1', 'web', under('old.dev'))),
      slice('theirs', 'web', under('other.dev')),
      seal(slice('handed-back', 'web', under(IN_TREE_CONTROLLER))),
      seal(slice('web-1', 'web')),
    ]
    const { leftBehind } = await inventoryOf([service('web')], slices)
    expect(leftBehind).toEqual([{ slice: 'shop/old-1', managedBy: 'old.dev' }])
  })

  it('names Services of which a plan is held, once each', async () => {
    const annotations = { [ANNOTATION_HELD_SINCE]: '2026-03-01T12:00:00Z' }
    const slices = ['web-1', 'web-2'].map((name) => slice(name, 'web', { annotations }))
    expect(await inventoryOf([service('web')], slices)).toMatchObject({ held: ['shop/web'] })
  })

  it('counts Services whose Endpoints slices of ours mirror, and no others without a selector', async () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Endpoints', name: 'db', uid: 'u' }]
    const services = [unmanaged('db'), unmanaged('idle')]
    const found = await inventoryOf(services, [slice('db-1', 'db', owned(ownerReferences))], ON)
    expect(found).toMatchObject({ services: 1, slices: 1, orphans: [] })
    expect(found.keys).toEqual([{ cluster: 'a', namespace: 'shop', service: 'db' }])
    const off = await inventoryOf(services, [slice('db-1', 'db', owned(ownerReferences))])
    expect(off).toMatchObject({ services: 0, orphans: ['shop/db-1'] })
  })

  it('counts Services whose Endpoints the in-tree controller mirrors, and names them', async () => {
    const labels = { [LABEL_SERVICE_NAME]: 'db', [LABEL_MANAGED_BY]: MIRRORING_CONTROLLER }
    const slices = [slice('db-1', 'db', { labels })]
    expect(await inventoryOf([unmanaged('db')], slices)).toMatchObject({ services: 0, doublyManaged: [] })
    const found = await inventoryOf([unmanaged('db')], slices, ON)
    expect(found).toMatchObject({ services: 1, slices: 0, doublyManaged: ['shop/db'] })
    expect(found.keys).toEqual([{ cluster: 'a', namespace: 'shop', service: 'db' }])
  })

  it('names slices that are left to somebody who edits them, while that lasts', async () => {
    const repairs = (count: number, secondsAgo: number): EndpointSlice['metadata'] => ({
      annotations: {
        [ANNOTATION_REPAIRS]: `${count} ${new Date(Date.now() - secondsAgo * 1000).toISOString()} edit:${count}`,
      },
    })
    const edited = (one: EndpointSlice): EndpointSlice => ({ ...seal(one), endpoints: [] })
    const slices = [
      edited(slice('fought', 'web', repairs(5, 1))),
      seal(slice('mended', 'web', repairs(5, 1))),
      edited(slice('few', 'web', repairs(2, 1))),
      edited(slice('over', 'web', repairs(5, 60))),
    ]
    expect(await inventoryOf([service('web')], slices)).toMatchObject({ fights: ['shop/fought'] })
  })

  it('names controllers that wrote slices of managed Services after us, each with the last one', async () => {
    const fields = (by: Readonly<Record<string, number>>) => ({
      managedFields: Object.entries(by).map(([manager, secondsAgo]) => ({
        manager,
        time: new Date(Date.now() - secondsAgo * 1000).toISOString(),
      })),
    })
    const slices = [
      slice('web-1', 'web', fields({ sliceflow: 60, k3s: 30 })),
      slice('web-2', 'web', fields({ sliceflow: 50 })),
      slice('api-1', 'api', fields({ k3s: 20 })),
      slice('done-1', 'done', fields({ k3s: 10 })),
      slice('done-2', 'done', fields({ sliceflow: 5 })),
      slice('old-1', 'old', fields({ 'kube-controller-manager': 601 })),
      slice('other-1', 'other', fields({ 'kube-controller-manager': 1 })),
    ]
    const services = ['web', 'api', 'done', 'old'].map((name) => service(name))
    const found = await inventoryOf(services, slices)
    expect(found.secondControllers).toEqual([
      { manager: 'k3s', service: 'shop/api', isMirror: false, at: expect.any(String) },
    ])
  })

  it('names managed Services that the in-tree controller has slices of', async () => {
    const labels = { [LABEL_SERVICE_NAME]: 'web', [LABEL_MANAGED_BY]: IN_TREE_CONTROLLER }
    const found = await inventoryOf([service('web')], [slice('web-x', 'web', { labels })])
    expect(found).toMatchObject({ doublyManaged: ['shop/web'], slices: 0 })
  })
})
