import { setTimeout as sleep } from 'node:timers/promises'
import { ANNOTATION_SELECTOR } from '../../shared/changes/index.ts'
import { type Endpoint, SERVICE_OWNER } from '../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  ENDPOINT_SLICES,
  NAMESPACES,
  NODES,
  PODS,
  SERVICES,
} from '../../shared/kubernetes/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import {
  checkSlices,
  createFakePods,
  makeNode,
  makePod,
  makeService,
  readObjects,
  readSlices,
} from './world/index.ts'

export const NAMESPACE = 'shop'
export const ZONES = ['zone-a', 'zone-b', 'zone-c'] as const
const NODES_PER_ZONE = 2
/** The right slices must be there by then, or the demo fails. */
const DEADLINE_MS = 10_000

/** Contents of a Service's slices. */
export interface Published {
  readonly slices: number
  readonly endpoints: number
  readonly ready: number
  readonly zones: readonly ZoneEndpoints[]
}

export interface ZoneEndpoints {
  readonly zone: string
  readonly endpoints: number
  readonly ready: number
}

/** The demo's cluster, and what its people do there. */
export interface Scene {
  /** Makes a namespace, and two nodes in each of three zones. */
  prepare(): Promise<void>
  /** Adds a Service without a selector of its own, whose pods the annotation names. */
  addService(name: string, selector: string): Promise<void>
  removeService(name: string): Promise<void>
  /** Starts ready pods, spread over the nodes. */
  startPods(names: readonly string[], labels: Readonly<Record<string, string>>): Promise<void>
  stopPods(names: readonly string[]): Promise<void>
  setReady(names: readonly string[], ready: boolean): Promise<void>
  relabel(pod: string, labels: Readonly<Record<string, string>>): Promise<void>
  removeNode(name: string): Promise<void>
  published(service: string): Promise<Published>
  /**
   * Waits until every slice is what an independent computation says. Throws with the differences when they
   * stay.
   */
  untilRight(): Promise<void>
}

export function createScene(
  client: ApiClient,
  settings: Pick<Settings, 'mode' | 'managedBy' | 'maxEndpointsPerSlice'>,
): Scene {
  const pods = createFakePods(client)
  let started = 0
  const nodeNames = ZONES.flatMap((zone) =>
    Array.from({ length: NODES_PER_ZONE }, (_, index) => `${zone}-node-${index + 1}`),
  )

  async function differences(): Promise<string[]> {
    const slices = await readSlices(client, [NAMESPACE])
    const objects = await readObjects(client, [NAMESPACE])
    return checkSlices({ ...objects, slices, ...settings })
  }

  return {
    async prepare() {
      await client.create(NAMESPACES, { metadata: { name: NAMESPACE } })
      for (const name of nodeNames)
        await client.create(NODES, makeNode({ name, zone: name.slice(0, name.indexOf('-node')) }))
    },
    async addService(name, selector) {
      await client.create(
        SERVICES,
        makeService({
          namespace: NAMESPACE,
          name,
          selector: null,
          annotations: { [ANNOTATION_SELECTOR]: selector },
        }),
      )
    },
    removeService: (name) => client.delete(SERVICES, { namespace: NAMESPACE, name }),
    async startPods(names, labels) {
      for (const name of names) {
        const index = started++
        const nodeName = nodeNames[index % nodeNames.length]
        await pods.start(makePod({ namespace: NAMESPACE, name, labels, nodeName }), [
          `10.1.${index >> 8}.${index & 255}`,
        ])
      }
    },
    async stopPods(names) {
      for (const name of names) {
        await pods.terminate({ namespace: NAMESPACE, name })
        await pods.finish({ namespace: NAMESPACE, name })
      }
    },
    async setReady(names, ready) {
      for (const name of names) await pods.setReady({ namespace: NAMESPACE, name }, ready)
    },
    async relabel(name, labels) {
      await client.patch(PODS, { namespace: NAMESPACE, name }, { metadata: { labels } })
    },
    removeNode: (name) => client.delete(NODES, { name }),
    async published(service) {
      const labelSelector = SERVICE_OWNER.selector(service)
      const { items } = await client.list(ENDPOINT_SLICES, { namespace: NAMESPACE, labelSelector })
      const endpoints = items.flatMap((slice) => slice.endpoints ?? [])
      const zones = ZONES.map((zone) => ({
        zone,
        ...countsOf(endpoints.filter((endpoint) => endpoint.zone === zone)),
      }))
      return { slices: items.length, ...countsOf(endpoints), zones }
    },
    async untilRight() {
      const deadline = performance.now() + DEADLINE_MS
      for (let found = await differences(); found.length > 0; found = await differences()) {
        if (performance.now() > deadline) throw new Error(`the slices are not right:\n${found.join('\n')}`)
        await sleep(20)
      }
    },
  }
}

const countsOf = (endpoints: readonly Endpoint[]): Pick<Published, 'endpoints' | 'ready'> => ({
  endpoints: endpoints.length,
  ready: endpoints.filter(({ conditions }) => conditions?.ready).length,
})
