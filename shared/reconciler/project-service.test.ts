import { describe, expect, it } from 'vitest'
import { makeNode } from '../../test/support/world/index.ts'
import { ENDPOINT_SELECTOR } from '../changes/index.ts'
import { type EndpointSelector, LABEL_MANAGED_BY, projectionOf } from '../endpointslice/index.ts'
import {
  ApiError,
  ConflictError,
  ENDPOINT_SELECTORS,
  ENDPOINT_SLICES,
  EVENTS,
  ForbiddenError,
  NATIVE_ENDPOINT_SELECTORS,
  NODES,
  PODS,
  SERVICES,
} from '../kubernetes/index.ts'
import { parseSettings } from '../settings/index.ts'
import {
  createMemoryCluster,
  type MemoryCluster,
  startProcess,
  webPod,
  webService,
} from './memory-cluster.fixtures.ts'

const OFF = parseSettings({ endpointSelectors: true })
const ON = { ...OFF, serviceProjection: true }
const KEY = { ownerKind: ENDPOINT_SELECTOR } as const
const SERVICE = webService({ ports: [{ name: 'http', port: 80, targetPort: 'web' }] })

function world(service = SERVICE): MemoryCluster {
  const cluster = createMemoryCluster()
  cluster.served = [ENDPOINT_SELECTORS]
  cluster.put(NODES, makeNode())
  cluster.put(PODS, webPod(1))
  cluster.put(SERVICES, service)
  return cluster
}

const project = (cluster: MemoryCluster, settings = ON) => startProcess(cluster, { settings }).handle(KEY)
const selectorsOf = (cluster: MemoryCluster): EndpointSelector[] => cluster.all(ENDPOINT_SELECTORS)
const writesOf = ({ calls }: MemoryCluster): readonly string[] =>
  calls.filter((call) => /^(create|update|patch|delete) endpointselectors/.test(call))

/** Makes a cluster with a Service and its projection. @param uid default: the Service's */
function projected({ uid, managedBy = OFF.managedBy }: { uid?: string; managedBy?: string } = {}) {
  const cluster = world()
  const [service] = cluster.all(SERVICES)
  const owner = { ...service?.metadata, ...(uid !== undefined && { uid }) }
  const wanted = projectionOf({ ...service, metadata: owner }) as EndpointSelector
  cluster.put(ENDPOINT_SELECTORS, {
    ...wanted,
    metadata: { ...wanted.metadata, labels: { [LABEL_MANAGED_BY]: managedBy } },
  })
  return cluster
}

describe('the projection of a Service', () => {
  it('is created with its selector, ports and reference, once, and has no slices', async () => {
    const cluster = world()
    const [service] = cluster.all(SERVICES)
    await project(cluster)
    expect(selectorsOf(cluster)).toMatchObject([
      {
        apiVersion: 'sliceflow.dev/v1alpha1',
        metadata: {
          name: 'web',
          labels: { [LABEL_MANAGED_BY]: 'sliceflow.dev' },
          ownerReferences: [{ kind: 'Service', uid: service?.metadata?.uid, controller: true }],
        },
        spec: {
          selector: { matchLabels: { app: 'web' } },
          ipFamilies: ['IPv4'],
          ports: [{ name: 'http', protocol: 'TCP', targetPort: 'web' }],
        },
      },
    ])
    await project(cluster)
    expect(writesOf(cluster)).toEqual(['create endpointselectors web'])
    expect(cluster.all(ENDPOINT_SLICES)).toEqual([])
  })

  it('follows its Service, mends what somebody edited, and keeps what is none of its own', async () => {
    const cluster = projected()
    const [one] = selectorsOf(cluster)
    const matchExpressions = [{ key: 'tier', operator: 'Exists' as const }]
    cluster.put(ENDPOINT_SELECTORS, {
      ...(one as EndpointSelector),
      metadata: { ...one?.metadata, annotations: { note: 'mine' } },
      spec: { selector: { matchLabels: { app: 'api' }, matchExpressions } },
    })
    await project(cluster)
    const [mended] = selectorsOf(cluster)
    expect(mended?.spec).toEqual(one?.spec)
    expect(mended?.metadata?.annotations).toEqual({ note: 'mine' })
    cluster.put(SERVICES, { ...SERVICE, spec: { ...SERVICE.spec, selector: { app: 'shop' } } })
    await project(cluster)
    expect(selectorsOf(cluster)).toMatchObject([{ spec: { selector: { matchLabels: { app: 'shop' } } } }])
  })

  it.each([
    ['its Service is gone', (cluster: MemoryCluster) => cluster.remove(SERVICES, 'web')],
    [
      'its Service has no selector any more',
      (cluster: MemoryCluster) => cluster.put(SERVICES, webService({ selector: {} })),
    ],
  ])('is deleted once %s, by the deployment that made it alone', async (_, change) => {
    const cluster = projected()
    change(cluster)
    await project(cluster, { ...ON, managedBy: 'other.dev' })
    expect(selectorsOf(cluster)).toHaveLength(1)
    await project(cluster)
    expect(selectorsOf(cluster)).toEqual([])
  })

  it('is deleted once the setting is off, by the deployment that made it alone', async () => {
    const cluster = projected()
    await project(cluster, { ...OFF, managedBy: 'other.dev' })
    expect(selectorsOf(cluster)).toHaveLength(1)
    await project(cluster, OFF)
    expect(selectorsOf(cluster)).toEqual([])
    expect(cluster.all(ENDPOINT_SLICES)).toEqual([])
  })

  it('stays, off, without the permission to delete it, which fails no key', async () => {
    const cluster = projected()
    cluster.before = (call) => {
      if (call.startsWith('delete endpointselectors')) throw new ForbiddenError('not allowed', 403, {})
    }
    await project(cluster, OFF)
    expect(selectorsOf(cluster)).toHaveLength(1)
    cluster.remove(SERVICES, 'web')
    await expect(project(cluster)).rejects.toThrow('not allowed')
  })

  it('is shared by two deployments: the other one mends it, and takes nothing over', async () => {
    const cluster = projected({ managedBy: 'other.dev' })
    await project(cluster)
    expect(writesOf(cluster)).toEqual([])
    cluster.put(SERVICES, { ...SERVICE, spec: { ...SERVICE.spec, selector: { app: 'shop' } } })
    await project(cluster)
    expect(selectorsOf(cluster)).toMatchObject([
      {
        metadata: { labels: { [LABEL_MANAGED_BY]: 'other.dev' } },
        spec: { selector: { matchLabels: { app: 'shop' } } },
      },
    ])
  })

  it('is made again for a Service of the same name', async () => {
    const cluster = projected({ uid: 'uid-before' })
    await project(cluster)
    const [service] = cluster.all(SERVICES)
    expect(selectorsOf(cluster)).toMatchObject([
      { metadata: { ownerReferences: [{ uid: service?.metadata?.uid }] } },
    ])
  })

  it.each([
    ['nobody owns', {}],
    [
      'is of an older Service and of another deployment',
      {
        ownerReferences: [
          { apiVersion: 'v1', kind: 'Service', name: 'web', uid: 'before', controller: true },
        ],
      },
    ],
  ])('leaves one of its name that %s as it is, with an Event on the Service', async (_, metadata) => {
    const cluster = world()
    const theirs = cluster.put(ENDPOINT_SELECTORS, {
      apiVersion: 'sliceflow.dev/v1alpha1',
      metadata: { name: 'web', namespace: 'shop', ...metadata },
      spec: { selector: { matchLabels: { app: 'web' } }, ipFamilies: ['IPv4'] },
    } as EndpointSelector)
    await project(cluster)
    await project(cluster)
    expect(writesOf(cluster)).toEqual([])
    expect(cluster.all(EVENTS)).toMatchObject([
      {
        reason: 'ProjectionConflict',
        involvedObject: { kind: 'Service', name: 'web' },
        message: expect.stringContaining('EndpointSelector shop/web (sliceflow.dev/v1alpha1) does not stand'),
      },
    ])
    // An EndpointSelector of its own right has its slices.
    expect(cluster.all(ENDPOINT_SLICES)).toHaveLength('ownerReferences' in metadata ? 0 : 1)
    cluster.remove(ENDPOINT_SELECTORS, theirs.metadata?.name ?? '')
    await project(cluster)
    expect(writesOf(cluster)).toEqual(['create endpointselectors web'])
  })

  it('that the definition refuses is an Event on the Service, and fails no key', async () => {
    const cluster = world()
    cluster.before = (call) => {
      if (call.startsWith('create endpointselectors')) throw new ApiError('too many ports', 422, {})
    }
    await project(cluster)
    expect(cluster.all(EVENTS)).toMatchObject([
      { reason: 'ProjectionRefused', message: expect.stringContaining('too many ports') },
    ])
  })

  it('fails its key if a quota or a role refuses it, once slices are written', async () => {
    const cluster = world()
    cluster.put(ENDPOINT_SELECTORS, {
      apiVersion: 'sliceflow.dev/v1alpha1',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { selector: { matchLabels: { app: 'web' } }, ipFamilies: ['IPv4'] },
    } as EndpointSelector)
    cluster.before = (call) => {
      if (call.startsWith('get services')) throw new ForbiddenError('not allowed', 403, {})
    }
    const { handle, failures } = startProcess(cluster, { settings: ON })
    await expect(handle(KEY)).rejects.toThrow('not allowed')
    expect(failures).toHaveLength(1)
    expect(cluster.all(ENDPOINT_SLICES)).toHaveLength(1)
  })

  it('is not made in a namespace that is being deleted, which fails no key', async () => {
    const cluster = world()
    const details = { causes: [{ reason: 'NamespaceTerminating' }] }
    cluster.before = (call) => {
      if (call.startsWith('create endpointselectors'))
        throw new ForbiddenError('terminating', 403, { details })
    }
    await project(cluster)
    expect(selectorsOf(cluster)).toEqual([])
  })

  it('is read and written again after a conflict, from the newer Service', async () => {
    const cluster = projected()
    cluster.put(SERVICES, { ...SERVICE, spec: { ...SERVICE.spec, selector: { app: 'one' } } })
    let updates = 0
    cluster.before = (call) => {
      if (!call.startsWith('update endpointselectors') || ++updates > 1) return
      cluster.put(SERVICES, { ...SERVICE, spec: { ...SERVICE.spec, selector: { app: 'two' } } })
      throw new ConflictError('changed', 409, {})
    }
    await project(cluster)
    expect(selectorsOf(cluster)).toMatchObject([{ spec: { selector: { matchLabels: { app: 'two' } } } }])
  })

  it('is none where only the API server has the kind, whose controller projects Services itself', async () => {
    const cluster = world()
    cluster.served = [NATIVE_ENDPOINT_SELECTORS]
    for (const settings of [ON, OFF]) await project(cluster, settings)
    expect(writesOf(cluster)).toEqual([])
  })
})
