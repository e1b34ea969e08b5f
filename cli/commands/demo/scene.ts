import { setTimeout as sleep } from 'node:timers/promises'
import { type Endpoint, type Pod, SERVICE_OWNER } from '../../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  ENDPOINT_SLICES,
  NAMESPACES,
  NODES,
  PODS,
  SERVICES,
} from '../../../shared/kubernetes/index.ts'
import type { Settings } from '../../../shared/settings/index.ts'
import { findDifferences } from './check.ts'
import { makeNode, makePod, makeService, NAMESPACE, readiness } from './objects.ts'

export const ZONES = ['zone-a', 'zone-b', 'zone-c'] as const
const NODES_PER_ZONE = 2
/** The right slices must be there by then, or the demo fails. */
const DEADLINE_MS = 10_000
const GRACE_SECONDS = 30

export interface Published {
  readonly slices: number
  readonly endpoints: number
  readonly ready: number
  /** Endpoints by zone. */
  readonly zones: Readonly<Record<string, number>>
}

/** The demo's cluster, and what its people do there. */
export class Scene {
  readonly #client: ApiClient
  readonly #settings: Pick<Settings, 'managedBy' | 'maxEndpointsPerSlice'>
  readonly #nodeNames = ZONES.flatMap((zone) =>
    Array.from({ length: NODES_PER_ZONE }, (_, index) => `${zone}-node-${index + 1}`),
  )
  #started = 0

  constructor(client: ApiClient, settings: Pick<Settings, 'managedBy' | 'maxEndpointsPerSlice'>) {
    this.#client = client
    this.#settings = settings
  }

  /** Makes a namespace, and two nodes in each of three zones. */
  async prepare(): Promise<void> {
    await this.#client.create(NAMESPACES, { metadata: { name: NAMESPACE } })
    for (const name of this.#nodeNames)
      await this.#client.create(NODES, makeNode(name, name.slice(0, name.indexOf('-node'))))
  }

  async addService(name: string, selector: string): Promise<void> {
    await this.#client.create(SERVICES, makeService(name, selector))
  }

  removeService(name: string): Promise<void> {
    return this.#client.delete(SERVICES, { namespace: NAMESPACE, name })
  }

  /** Starts ready pods, spread over the nodes, as their kubelets would. */
  async startPods(names: readonly string[], labels: Readonly<Record<string, string>>): Promise<void> {
    for (const name of names) {
      const index = this.#started++
      const nodeName = this.#nodeNames[index % this.#nodeNames.length]
      const podIP = `10.1.${index >> 8}.${index & 255}`
      await this.#client.create(PODS, makePod({ name, labels, nodeName }))
      await this.#setStatus(name, {
        ...{ phase: 'Running', podIP, podIPs: [{ ip: podIP }] },
        ...readiness(true),
      })
    }
  }

  async stopPods(names: readonly string[]): Promise<void> {
    // A graceful end, and then the kubelet's word that it is over.
    for (const name of names)
      for (const gracePeriodSeconds of [GRACE_SECONDS, 0])
        await this.#client.delete(PODS, { namespace: NAMESPACE, name }, { gracePeriodSeconds })
  }

  async setReady(names: readonly string[], ready: boolean): Promise<void> {
    for (const name of names) await this.#setStatus(name, readiness(ready))
  }

  async #setStatus(name: string, status: NonNullable<Pod['status']>): Promise<void> {
    await this.#client.patch(PODS, { namespace: NAMESPACE, name, subresource: 'status' }, { status })
  }

  async relabel(name: string, labels: Readonly<Record<string, string>>): Promise<void> {
    await this.#client.patch(PODS, { namespace: NAMESPACE, name }, { metadata: { labels } })
  }

  removeNode(name: string): Promise<void> {
    return this.#client.delete(NODES, { name })
  }

  async published(service: string): Promise<Published> {
    const labelSelector = SERVICE_OWNER.selector(service)
    const { items } = await this.#client.list(ENDPOINT_SLICES, { namespace: NAMESPACE, labelSelector })
    const endpoints = items.flatMap((slice) => slice.endpoints ?? [])
    const countOf = (counts: (endpoint: Endpoint) => boolean | null | undefined): number =>
      endpoints.filter(counts).length
    return {
      slices: items.length,
      endpoints: endpoints.length,
      ready: countOf(({ conditions }) => conditions?.ready),
      zones: Object.fromEntries(ZONES.map((zone) => [zone, countOf((endpoint) => endpoint.zone === zone)])),
    }
  }

  /** Waits until every slice is what an independent computation says. @throws Error where differences stay */
  async untilRight(): Promise<void> {
    const deadline = performance.now() + DEADLINE_MS
    const find = (): Promise<string[]> => findDifferences(this.#client, this.#settings)
    for (let found = await find(); found.length > 0; found = await find()) {
      if (performance.now() > deadline) throw new Error(`the slices are not right:\n${found.join('\n')}`)
      await sleep(20)
    }
  }
}
