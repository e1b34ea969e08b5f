import { randomBytes } from 'node:crypto'
import { type EndpointSlice, LABEL_SERVICE_NAME } from '../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  ENDPOINT_SLICES,
  NAMESPACES,
  NODES,
  SERVICES,
} from '../../shared/kubernetes/index.ts'
import { concurrently, removeNamespaced } from './remove-namespaced.ts'
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
  SELECTOR_ANNOTATION,
  type SelectionMode,
  type ServiceInput,
} from './world/index.ts'

export interface TestNamespaceOptions {
  readonly client: ApiClient
  /** Its name begins so. */
  readonly prefix: string
  /** Way in which Services name their pods. */
  readonly mode: SelectionMode
  /** The value of the slices that `differences` compares. */
  readonly managedBy: string
  /** Default 100. */
  readonly maxEndpointsPerSlice?: number
}

/** A namespace and two nodes of a test's own, what people do there, and what must come of it. */
export interface TestNamespace {
  readonly client: ApiClient
  readonly namespace: string
  /** Their zones are `zone-a` and `zone-b`. */
  readonly nodes: readonly [string, string]
  readonly pods: FakePods
  /**
   * Adds a Service, written as the mode asks for. Its pods are those with the label `app=name`, or
   * `selector`.
   */
  addService(name: string, input?: ServiceInput): Promise<void>
  patchService(name: string, patch: unknown): Promise<void>
  /** Makes the merge patch by which the Service selects pods with these labels instead. */
  selectorPatch(labels: Readonly<Record<string, string | null>>): unknown
  removeService(name: string): Promise<void>
  /** Adds pods that run and are ready, one on each node in turn. Default labels: `app=web`. */
  addPods(names: readonly string[], input?: PodInput & { readonly ready?: boolean }): Promise<void>
  /** Reads every slice of the namespace, or those with this Service's name label. */
  slices(service?: string): Promise<readonly EndpointSlice[]>
  editSlice(name: string, patch: unknown): Promise<EndpointSlice>
  /** Returns what is wrong with the namespace's slices, or with these. */
  differences(slices?: readonly EndpointSlice[]): Promise<string[]>
  /**
   * Removes everything in it and the nodes. The namespace stays, as not every cluster has the controller that
   * deletes it.
   */
  remove(): Promise<void>
}

export async function openTestNamespace({
  client,
  prefix,
  mode,
  managedBy,
  maxEndpointsPerSlice,
}: TestNamespaceOptions): Promise<TestNamespace> {
  const namespace = `${prefix}-${randomBytes(4).toString('hex')}`
  const nodes = [`${namespace}-a`, `${namespace}-b`] as const
  await client.create(NAMESPACES, { metadata: { name: namespace } })
  await client.create(NODES, makeNode({ name: nodes[0], zone: 'zone-a' }))
  await client.create(NODES, makeNode({ name: nodes[1], zone: 'zone-b' }))
  const pods = createFakePods(client)
  let podsStarted = 0

  return {
    client,
    namespace,
    nodes,
    pods,
    async addService(name, { selector = { app: name }, ...more } = {}) {
      const selection =
        mode === 'replace' || selector === null
          ? { selector }
          : { selector: null, annotations: { [SELECTOR_ANNOTATION]: annotationOf(selector) } }
      await client.create(SERVICES, makeService({ namespace, name, ...selection, ...more }))
    },
    async patchService(name, patch) {
      await client.patch(SERVICES, { namespace, name }, patch)
    },
    selectorPatch: (labels) =>
      mode === 'replace'
        ? { spec: { selector: labels } }
        : { metadata: { annotations: { [SELECTOR_ANNOTATION]: annotationOf(labels) } } },
    removeService: (name) => client.delete(SERVICES, { namespace, name }),
    async addPods(names, { ready = true, ...pod } = {}) {
      const first = podsStarted
      podsStarted += names.length
      const start = async (name: string, index: number): Promise<void> => {
        const number = first + index
        const object = makePod({ namespace, name, nodeName: nodes[number % 2], ...pod })
        await pods.start(object, [`10.1.${number >> 8}.${number & 255}`], { ready })
      }
      await concurrently.map(names, start)
    },
    slices: async (service) =>
      (await readSlices(client, [namespace])).filter(
        ({ metadata }) => service === undefined || metadata?.labels?.[LABEL_SERVICE_NAME] === service,
      ),
    editSlice: (name, patch) => client.patch(ENDPOINT_SLICES, { namespace, name }, patch),
    async differences(slices) {
      const found = slices ?? (await readSlices(client, [namespace]))
      const objects = await readObjects(client, [namespace])
      return checkSlices({ ...objects, slices: found, mode, managedBy, maxEndpointsPerSlice })
    },
    async remove() {
      await removeNamespaced(client, namespace)
      for (const { metadata } of (await client.list(NODES)).items) {
        const { name = '' } = metadata ?? {}
        if (name === nodes[0] || name === nodes[1]) await client.delete(NODES, { name })
      }
    },
  }
}

const annotationOf = (selector: Readonly<Record<string, string | null>>): string =>
  Object.entries(selector)
    .filter(([, value]) => value !== null)
    .map(([label, value]) => `${label}=${value}`)
    .join(',')

/** Returns `prefix-1` to `prefix-N`. */
export const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`)
