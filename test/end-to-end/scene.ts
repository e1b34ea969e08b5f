import { randomBytes } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import {
  checkSlices,
  createFakePods,
  type FakePods,
  makeNode,
  makePod,
  makeService,
  type PodInput,
  readObjects,
  readSlices,
  type ServiceInput,
} from '../../functions/demo/world/index.ts'
import { ANNOTATION_SELECTOR } from '../../shared/changes/index.ts'
import { type EndpointSlice, LABEL_SERVICE_NAME } from '../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  type ClusterConnection,
  ENDPOINT_SLICES,
  NAMESPACES,
  NODES,
  SERVICES,
} from '../../shared/kubernetes/index.ts'
import { parseSettings, type Settings, type SettingsInput } from '../../shared/settings/index.ts'
import type { TestCluster } from './cluster.ts'
import { removeNamespaced } from './remove.ts'
import { type Sliceflow, startSliceflow } from './sliceflow.ts'

/** A cluster as the scenes of a suite share it. */
export interface SceneCluster extends Pick<TestCluster, 'setPodsReadable'> {
  readonly name: string
  /** May do everything. */
  readonly client: ApiClient
  /** As Sliceflow is given it. */
  readonly connection: ClusterConnection
}

/** Gives the scenarios the cluster that their suite has started by the time they run. */
export type OpenCluster = () => SceneCluster

/** A namespace and two nodes of a test's own, what people do there, and what must come of it. They are gone after the test. */
export interface Scene {
  readonly client: ApiClient
  readonly cluster: string
  readonly namespace: string
  readonly settings: Settings
  /** Their zones are `zone-a` and `zone-b`. */
  readonly nodes: readonly [string, string]
  readonly pods: FakePods
  /** Its pods are those with the label `app=name`, or `selector`; written as the mode of the scene asks for. */
  addService(name: string, input?: ServiceInput): Promise<void>
  patchService(name: string, patch: unknown): Promise<void>
  /** What a merge patch must say for the Service to select pods by these labels instead. */
  selectorPatch(labels: Readonly<Record<string, string | null>>): unknown
  removeService(name: string): Promise<void>
  /** Running, ready, and one on each node in turn. Default labels: `app=web`. */
  addPods(names: readonly string[], input?: PodInput & { readonly ready?: boolean }): Promise<void>
  /** Every slice of the namespace, or those with this Service's name label. */
  slices(service?: string): Promise<readonly EndpointSlice[]>
  editSlice(name: string, patch: unknown): Promise<EndpointSlice>
  /** A Sliceflow on this cluster, synced. */
  start(): Promise<Sliceflow>
  /** What is wrong with the namespace's slices, or with these. */
  differences(slices?: readonly EndpointSlice[]): Promise<string[]>
  untilRight(timeoutMs?: number): Promise<void>
}

/** Long enough for a crowded machine; nothing waits for it when all is well. */
const TIMEOUT_MS = 15_000
const POLL_MS = 20

/** Waits until the condition holds; says what it saw last when it does not in time. */
export const until = (condition: () => unknown, timeout = TIMEOUT_MS) =>
  expect.poll(condition, { timeout, interval: POLL_MS })

export async function openScene(
  { name: cluster, client, connection }: SceneCluster,
  input: SettingsInput = {},
): Promise<Scene> {
  const namespace = `e2e-${randomBytes(4).toString('hex')}`
  const settings = parseSettings({ coalescingWindow: 0.05, ...input })
  const { mode } = settings
  const nodes = [`${namespace}-a`, `${namespace}-b`] as const
  await client.create(NAMESPACES, { metadata: { name: namespace } })
  await client.create(NODES, makeNode({ name: nodes[0], zone: 'zone-a' }))
  await client.create(NODES, makeNode({ name: nodes[1], zone: 'zone-b' }))
  const pods = createFakePods(client)
  let podsStarted = 0

  const annotationOf = (selector: Readonly<Record<string, string | null>>): string =>
    Object.entries(selector)
      .filter(([, value]) => value !== null)
      .map(([label, value]) => `${label}=${value}`)
      .join(',')

  const scene: Scene = {
    client,
    cluster,
    namespace,
    settings,
    nodes,
    pods,
    async addService(name, { selector = { app: name }, ...more } = {}) {
      const selection =
        mode === 'replace' || selector === null
          ? { selector }
          : { selector: null, annotations: { [ANNOTATION_SELECTOR]: annotationOf(selector) } }
      await client.create(SERVICES, makeService({ namespace, name, ...selection, ...more }))
    },
    async patchService(name, patch) {
      await client.patch(SERVICES, { namespace, name }, patch)
    },
    selectorPatch: (labels) =>
      mode === 'replace'
        ? { spec: { selector: labels } }
        : { metadata: { annotations: { [ANNOTATION_SELECTOR]: annotationOf(labels) } } },
    removeService: (name) => client.delete(SERVICES, { namespace, name }),
    async addPods(names, { ready = true, ...pod } = {}) {
      const first = podsStarted
      podsStarted += names.length
      const start = async (name: string, index: number): Promise<void> => {
        const number = first + index
        const object = makePod({ namespace, name, nodeName: nodes[number % 2], ...pod })
        await pods.start(object, [`10.1.${number >> 8}.${number & 255}`], { ready })
      }
      await Promise.all(names.map(start))
    },
    slices: async (service) =>
      (await readSlices(client, [namespace])).filter(
        ({ metadata }) => service === undefined || metadata?.labels?.[LABEL_SERVICE_NAME] === service,
      ),
    editSlice: (name, patch) => client.patch(ENDPOINT_SLICES, { namespace, name }, patch),
    async start() {
      const sliceflow = await startSliceflow([connection], settings)
      await sliceflow.synced
      return sliceflow
    },
    async differences(slices) {
      const found = slices ?? (await readSlices(client, [namespace]))
      const objects = await readObjects(client, [namespace])
      return checkSlices({ ...objects, slices: found, ...settings })
    },
    async untilRight(timeoutMs) {
      await until(() => scene.differences(), timeoutMs).toEqual([])
    },
  }
  onTestFinished(async () => {
    await removeNamespaced(client, namespace)
    for (const { metadata } of (await client.list(NODES)).items) {
      const { name = '' } = metadata ?? {}
      if (name === nodes[0] || name === nodes[1]) await client.delete(NODES, { name })
    }
  })
  return scene
}

/** `prefix-1` to `prefix-N`. */
export const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`)
