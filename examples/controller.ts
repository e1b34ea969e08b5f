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
// '@sliceflow/endpointslice' where the package is installed.
import { apply, plan, type SliceClient, TriggerTimeTracker } from '../shared/endpointslice/index.ts'

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
    const triggerTime = triggerTimes.next(service, pods.items)
    const planned = plan(
      { service, pods: pods.items, nodes: nodes.items, slices: slices.items },
      { managedBy, triggerTime },
    )
    const { failures } = await apply(sliceClient(discovery), planned)
    // A conflict needs no word: the next round reads and plans again.
    for (const { slice, error } of failures) process.stderr.write(`cannot write ${slice}: ${error}\n`)
  }

  while (!signal.aborted) {
    const { items } = await core.listServiceForAllNamespaces({ labelSelector: 'example.org/published' })
    for (const service of items) if (service.spec?.selector !== undefined) await reconcile(service)
    await sleep(1000, undefined, { signal }).catch(() => undefined)
  }
}

const sliceClient = (discovery: DiscoveryV1Api): SliceClient<V1EndpointSlice> => ({
  create: (body) => discovery.createNamespacedEndpointSlice({ ...placeOf(body), body }),
  update: (body) => discovery.replaceNamespacedEndpointSlice({ ...placeOf(body), body }),
  async delete(slice) {
    const { uid, resourceVersion } = slice.metadata ?? {}
    const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) }
    await discovery.deleteNamespacedEndpointSlice({ ...placeOf(slice), body: { preconditions } })
  },
})

const placeOf = ({ metadata }: V1EndpointSlice): { name: string; namespace: string } => ({
  name: metadata?.name ?? '',
  namespace: metadata?.namespace ?? '',
})

const selectorOf = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map((label) => label.join('='))
    .join()

if (import.meta.main) {
  const [, , file] = process.argv
  const config = new KubeConfig()
  if (file === undefined) config.loadFromDefault()
  else config.loadFromFile(file)
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  await runController(config, ending.signal)
}
