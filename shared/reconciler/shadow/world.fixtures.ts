import { makeNode, makePod, makePodStatus, makeService } from '../../../test/support/world/index.ts'
import {
  type EndpointSlice,
  type Endpoints,
  IN_TREE_CONTROLLER,
  type Node,
  type Pod,
  plan,
  type Service,
} from '../../endpointslice/index.ts'
import {
  type ApiClient,
  type ApiObject,
  NotFoundError,
  type ObjectRef,
  type Resource,
} from '../../kubernetes/index.ts'

/** A Service `shop/web` of a cluster and what stands around it, without an API server. */

/** Objects of a cluster; a test changes them between syncs. */
export interface World {
  service: Service | undefined
  pods: Pod[]
  nodes: Node[]
  slices: EndpointSlice[]
  /** Default: none. */
  endpoints?: Endpoints
}

/** Creates a client that reads the objects of the world, and remembers attempts to write. */
export function clientOf(world: World, writes: string[] = []): ApiClient {
  const objects: Readonly<Record<string, () => readonly ApiObject[]>> = {
    Service: () => (world.service === undefined ? [] : [world.service]),
    Pod: () => world.pods,
    Node: () => world.nodes,
    EndpointSlice: () => world.slices,
    Endpoints: () => (world.endpoints === undefined ? [] : [world.endpoints]),
  }
  const written = (verb: string) => async (): Promise<never> => {
    writes.push(verb)
    throw new Error(`${verb} reached the cluster`)
  }
  const client: Partial<ApiClient> = {
    cluster: 'a',
    async get<T extends ApiObject>({ kind }: Resource<T>, { name }: ObjectRef) {
      const found = objects[kind]?.().find(({ metadata }) => metadata?.name === name)
      if (found !== undefined) return found as T
      throw new NotFoundError(`no such ${kind}`, 404, { reason: 'NotFound', details: { name } })
    },
    list: async ({ kind }) => ({
      items: (objects[kind]?.() ?? []) as never[],
      metadata: { resourceVersion: '1' },
    }),
    create: written('create'),
    update: written('update'),
    patch: written('patch'),
    delete: written('delete'),
  }
  return client as ApiClient
}

export function podOf(name: string, ip: string, version = '1'): Pod {
  const made = makePod({ namespace: 'shop', name, status: makePodStatus([ip]) })
  return { ...made, metadata: { ...made.metadata, uid: `uid-${name}`, resourceVersion: version } }
}

/** Makes a Service with a selector and ready pods, for which the in-tree controller has done its work. */
export function worldOf(podNames: readonly string[], service: Partial<Service['spec']> = {}): World {
  const made = makeService({
    namespace: 'shop',
    spec: { clusterIP: '10.96.0.1', ipFamilies: ['IPv4'], ...service },
  })
  const world: World = {
    service: { ...made, metadata: { ...made.metadata, uid: 'uid-web', resourceVersion: '1' } },
    pods: podNames.map((name, index) => podOf(name, `10.0.0.${index + 1}`)),
    nodes: [makeNode({ name: 'node-1' })],
    slices: [],
  }
  world.slices = slicesOf(world)
  return world
}

/** Returns the slices that a controller would have made, each of them small. */
export function slicesOf({ service, ...state }: World, managedBy = IN_TREE_CONTROLLER): EndpointSlice[] {
  if (service === undefined) return []
  return plan({ service, ...state, slices: [] }, { managedBy, maxEndpointsPerSlice: 2 }).create
}
