/**
 * A small EndpointSlice controller: keeps slices for the Services labelled `example.org/published`, of the
 * pods that their selector names. It looks at all of them once a second; a real one would follow changes.
 *
 *   node examples/controller.ts [kubeconfig]
 *
 * It compiles with `strict` and `exactOptionalPropertyTypes`. Without `skipLibCheck` client-node needs
 * @types/ws.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  CoreV1Api,
  DiscoveryV1Api,
  KubeConfig,
  type V1EndpointSlice,
  type V1Service,
} from '@kubernetes/client-node'
// 'sliceflow/endpointslice' where the package is installed.
import {
  apply,
  type EndpointSlice,
  type PlanState,
  plan,
  type SliceClient,
  TriggerTimeTracker,
} from '../shared/endpointslice/index.ts'

const managedBy = 'controller.example.org'

export async function runController(config: KubeConfig, signal: AbortSignal): Promise<void> {
  const core = config.makeApiClient(CoreV1Api)
  const discovery = config.makeApiClient(DiscoveryV1Api)
  const triggerTimes = new TriggerTimeTracker()

  async function reconcile(service: V1Service): Promise<void> {
    const { name = '', namespace = '' } = service.metadata ?? {}
    const ours = { 'kubernetes.io/service-name': name, 'endpointslice.kubernetes.io/managed-by': managedBy }
    // The slices first: whoever writes them last has then seen the newest pods.
    const slices = await discovery.listNamespacedEndpointSlice({ namespace, labelSelector: selectorOf(ours) })
    const labelSelector = selectorOf(service.spec?.selector ?? {})
    const pods = await core.listNamespacedPod({ namespace, labelSelector })
    const nodes = await core.listNode()
    const state = inJson<PlanState>({ service, pods: pods.items, nodes: nodes.items, slices: slices.items })
    const triggerTime = triggerTimes.next(state.service, state.pods)
    const { failures } = await apply(sliceClient(discovery), plan(state, { managedBy, triggerTime }))
    // A conflict needs no word: the next round reads and plans again.
    for (const { slice, error } of failures) process.stderr.write(`cannot write ${slice}: ${error}\n`)
  }

  while (!signal.aborted) {
    const { items } = await core.listServiceForAllNamespaces({ labelSelector: 'example.org/published' })
    for (const service of items) if (service.spec?.selector !== undefined) await reconcile(service)
    await sleep(1000, undefined, { signal }).catch(() => undefined)
  }
}

const sliceClient = (discovery: DiscoveryV1Api): SliceClient => ({
  create: async (slice) => inJson(await discovery.createNamespacedEndpointSlice(requestOf(slice))),
  update: async (slice) => inJson(await discovery.replaceNamespacedEndpointSlice(requestOf(slice))),
  async delete({ metadata: { name = '', namespace = '', uid, resourceVersion } = {} }) {
    const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) }
    const body = { preconditions }
    await discovery.deleteNamespacedEndpointSlice({ name, namespace, body })
  },
})

/**
 * client-node wants dates for timestamps. Those of a slice are the API server's own, so they need not be
 * sent.
 */
function requestOf(slice: EndpointSlice): { name: string; namespace: string; body: V1EndpointSlice } {
  const { creationTimestamp, deletionTimestamp, managedFields, ...metadata } = slice.metadata ?? {}
  const body: V1EndpointSlice = { ...slice, metadata }
  return { name: metadata.name ?? '', namespace: metadata.namespace ?? '', body }
}

const selectorOf = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map((label) => label.join('='))
    .join()

/** What client-node answers holds dates; plan() takes objects as they stand in JSON. */
const inJson = <T>(value: unknown): T => JSON.parse(JSON.stringify(value)) as T

if (import.meta.main) {
  const [, , file] = process.argv
  const config = new KubeConfig()
  if (file === undefined) config.loadFromDefault()
  else config.loadFromFile(file)
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  await runController(config, ending.signal)
}
