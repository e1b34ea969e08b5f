import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import {
  type ApiClient,
  ENDPOINT_SLICES,
  NAMESPACES,
  NODES,
  SERVICES,
} from '../../shared/kubernetes/index.ts'
import { runChanges } from './change-stream.ts'
import { createRandom } from './random.ts'
import { type ChangeKind, drawChange } from './workload-changes.ts'
import { createModel, type ModelPod, podObject, serviceObject, type WorkloadModel } from './workload-model.ts'
import {
  checkSlices,
  checkUntouched,
  createFakePods,
  makeNode,
  makeSlice,
  readObjects,
  readSlices,
  type SelectionMode,
  type SliceSnapshot,
  snapshotSlices,
} from './world/index.ts'

export const IN_TREE_CONTROLLER = 'endpointslice-controller.k8s.io'

/** Settings of the Sliceflow whose slices are checked. */
interface CheckedSettings {
  /** Way in which the Services name their pods; default `custom`. */
  readonly mode?: SelectionMode
  /** Default `sliceflow.dev`. */
  readonly managedBy?: string
  /** Default 100. */
  readonly maxEndpointsPerSlice?: number
}

export interface WorkloadOptions {
  /** Give it a long timeout where the server is to be frozen under load. */
  readonly client: ApiClient
  /** Default 20. */
  readonly services?: number
  /** Default 10. */
  readonly podsPerService?: number
  /** Draws every change, and names the namespaces and nodes: another seed, another set beside. Default 1. */
  readonly seed?: number
  readonly settings?: CheckedSettings
  /**
   * True to give half of the Services plain selectors in custom mode. These are left to the in-tree
   * controller, and checked. Default false.
   */
  readonly besideInTree?: boolean
  /** Kinds of changes not to draw. Default: none. */
  readonly without?: readonly ChangeKind[]
  /** A line of progress. */
  readonly report?: (line: string) => void
}

interface SettleResult {
  /** Time from the call to the first check that found everything right. */
  readonly seconds: number
  /** Differences that are left; empty when it settled in time. */
  readonly differences: readonly string[]
}

/** A seeded stream of changes to any API server, which knows in the end whether the slices are right. */
export interface Workload {
  readonly namespaces: readonly string[]
  /** Namespaces, nodes, foreign slices, then every Service and pod at once. */
  createAll(): Promise<void>
  /** @returns how many changes were made; rejects with the first one that the server refused */
  change(options: { readonly rate: number; readonly seconds: number }): Promise<number>
  /** Returns what is wrong with the slices as they are now. */
  differences(): Promise<string[]>
  /** Polls until everything is right, at most this long; the caller makes no changes meanwhile. */
  settle(maxSeconds: number): Promise<SettleResult>
}

const CONCURRENT_CALLS = 32
const POLL_MS = 250

const secondsSince = (started: number): string => `${((performance.now() - started) / 1000).toFixed(1)} s`

export function createWorkload({
  client,
  services = 20,
  podsPerService = 10,
  seed = 1,
  settings = {},
  besideInTree = false,
  without = [],
  report = () => {},
}: WorkloadOptions): Workload {
  const { mode = 'custom', managedBy = 'sliceflow.dev', maxEndpointsPerSlice = 100 } = settings
  const random = createRandom(seed)
  const model = createModel({ seed, services, podsPerService, mode, besideInTree }, random)
  const { namespaces } = model
  const pods = createFakePods(client)
  const limit = pLimit(CONCURRENT_CALLS)
  const all = <T>(items: Iterable<T>, call: (item: T) => Promise<unknown>): Promise<unknown> =>
    Promise.all(Array.from(items, (item) => limit(() => call(item))))
  let foreign: SliceSnapshot = new Map()

  const startPod = (pod: ModelPod): Promise<void> =>
    pods.start(podObject(pod), pod.addresses, { ready: pod.ready })

  async function differencesIn(objects: Awaited<ReturnType<typeof readObjects>>): Promise<string[]> {
    const slices = await readSlices(client, namespaces)
    const input = { ...objects, slices, maxEndpointsPerSlice }
    return [
      ...checkSlices({ ...input, mode, managedBy }),
      ...(besideInTree ? checkSlices({ ...input, mode: 'replace', managedBy: IN_TREE_CONTROLLER }) : []),
      ...checkUntouched(foreign, slices),
    ]
  }

  return {
    namespaces,
    async createAll() {
      await all(namespaces, (name) => client.create(NAMESPACES, { metadata: { name } }))
      await all(model.nodes, (node) => client.create(NODES, makeNode(node)))
      foreign = await createForeignSlices(client, model)
      const started = performance.now()
      await Promise.all([
        all(model.services, (service) => client.create(SERVICES, serviceObject(service))),
        all(model.pods, startPod),
      ])
      report(`${model.services.length} Services and ${model.pods.size} pods made in ${secondsSince(started)}`)
    },

    change: ({ rate, seconds }) =>
      runChanges({
        rate,
        count: Math.round(rate * seconds),
        draw: () => drawChange({ model, random }, new Set(without)),
        run: (change) => limit(() => change.run({ client, pods })),
        report,
      }),

    differences: async () => differencesIn(await readObjects(client, namespaces)),

    async settle(maxSeconds) {
      const started = performance.now()
      const objects = await readObjects(client, namespaces)
      let differences: string[]
      let seconds: number
      do {
        await sleep(POLL_MS)
        differences = await differencesIn(objects)
        seconds = (performance.now() - started) / 1000
      } while (differences.length > 0 && seconds < maxSeconds)
      return { seconds, differences }
    },
  }
}

/** Creates slices of our Services that others manage. They must stay as they are. */
async function createForeignSlices(
  client: ApiClient,
  { services, namespaces }: WorkloadModel,
): Promise<SliceSnapshot> {
  const managers = ['somebody-else', null]
  const wanted = services.slice(0, 2 * namespaces.length).flatMap(({ namespace, name }) =>
    managers.map((manager) =>
      makeSlice({
        namespace,
        name: `${name}-${manager ?? 'by-hand'}`,
        service: name,
        managedBy: manager,
        endpoints: [{ addresses: ['10.99.0.1'] }],
        ports: [{ name: 'http', port: 1234 }],
      }),
    ),
  )
  return snapshotSlices(await Promise.all(wanted.map((slice) => client.create(ENDPOINT_SLICES, slice))))
}
