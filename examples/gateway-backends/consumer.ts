/**
 * A small consumer of EndpointSlices, as the controller of a gateway is one: for each InferencePool, and for
 * each XBackend of type EndpointSelector, it makes the EndpointSelector that selects the same Pods, and
 * resolves its slices to addresses. It lists all of them once a second; a real one would watch.
 *
 *   node examples/gateway-backends/consumer.ts [kubeconfig]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ApiException,
  ApisApi,
  CustomObjectsApi,
  DiscoveryV1Api,
  KubeConfig,
  type KubernetesObject,
} from '@kubernetes/client-node'
// '@sliceflow/endpointslice' where the package is installed.
import {
  backendsOf,
  conditionsOf,
  ENDPOINT_SELECTOR_OWNER,
  type EndpointSlice,
} from '../../shared/endpointslice/index.ts'

interface Selector {
  readonly matchLabels: Readonly<Record<string, string>>
}

/** What is published of a parent. */
interface SelectorSpec {
  readonly selector: Selector
  readonly ports: readonly { readonly name?: string; readonly targetPort: number }[]
}

/** A kind whose objects have Pods, in the version that is read. */
interface ParentKind {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
  /** Returns what the object's EndpointSelector says; undefined if it has no Pods. */
  specOf(spec: never): SelectorSpec | undefined
}

interface PoolSpec {
  readonly selector: Selector
  readonly targetPorts: readonly { readonly number: number }[]
}

interface BackendSpec {
  readonly type: string
  readonly port: { readonly number: number }
  readonly endpointSelector?: Selector
}

const PARENTS: readonly ParentKind[] = [
  {
    group: 'inference.networking.k8s.io',
    version: 'v1',
    plural: 'inferencepools',
    kind: 'InferencePool',
    specOf: ({ selector: { matchLabels }, targetPorts }: PoolSpec) => ({
      selector: { matchLabels },
      ports: targetPorts.map(({ number }) => ({ name: `port-${number}`, targetPort: number })),
    }),
  },
  {
    group: 'gateway.networking.x-k8s.io',
    version: 'v1alpha1',
    plural: 'xbackends',
    kind: 'XBackend',
    specOf: ({ endpointSelector, port }: BackendSpec) =>
      endpointSelector && {
        selector: { matchLabels: endpointSelector.matchLabels },
        ports: [{ targetPort: port.number }],
      },
  },
]

const OWN_API = { group: 'sliceflow.dev', version: 'v1alpha1', plural: 'endpointselectors' }
/** The same kind, once the API server has it; nothing else differs. */
const NATIVE_API = { ...OWN_API, group: 'discovery.k8s.io' }

type Custom = KubernetesObject & { readonly spec?: object }

/** @param onAddresses called with the ready addresses of each parent, such as `10.0.0.5:8000`, once a second */
export async function runConsumer(
  config: KubeConfig,
  onAddresses: (parent: string, addresses: readonly string[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const objects = config.makeApiClient(CustomObjectsApi)
  const discovery = config.makeApiClient(DiscoveryV1Api)
  const api = (await serves(config, NATIVE_API)) ? NATIVE_API : OWN_API

  async function list(kind: Omit<ParentKind, 'kind' | 'specOf'>): Promise<readonly Custom[]> {
    // A kind that is not defined in this cluster has no objects.
    const { items } = await objects.listClusterCustomObject(kind).catch(unless(404, { items: [] }))
    return items
  }

  /** Makes the parent's EndpointSelector, or brings it up to date. @returns undefined until it is there */
  async function select(
    parent: Custom,
    kind: ParentKind,
    selectors: readonly Custom[],
  ): Promise<Custom | undefined> {
    const { name = '', namespace = '', uid = '' } = parent.metadata ?? {}
    const spec = kind.specOf(parent.spec as never)
    const own = selectors.find(({ metadata }) =>
      metadata?.ownerReferences?.some((owner) => owner.uid === uid),
    )
    if (spec === undefined || own?.metadata?.deletionTimestamp !== undefined) return undefined
    if (own === undefined) {
      const owner = {
        apiVersion: `${kind.group}/${kind.version}`,
        kind: kind.kind,
        name,
        uid,
        controller: true,
      }
      const metadata = { generateName: `${name}-`, namespace, ownerReferences: [owner] }
      const body = { apiVersion: `${api.group}/${api.version}`, kind: 'EndpointSelector', metadata, spec }
      return objects.createNamespacedCustomObject({ ...api, namespace, body })
    }
    // An apiserver keeps what it is given, and adds defaults: only what is meant is compared.
    if (includes(own.spec, spec)) return own
    // A conflict needs no word: the next round reads it again.
    const body = { ...own, spec }
    return objects
      .replaceNamespacedCustomObject({ ...api, namespace, name: own.metadata?.name ?? '', body })
      .catch(unless(409, own))
  }

  /** Returns the addresses that may be sent requests now. */
  async function resolve({ metadata }: Custom): Promise<string[]> {
    const { name = '', namespace = '', uid } = metadata ?? {}
    const labelSelector = ENDPOINT_SELECTOR_OWNER.selector(name)
    const { items } = await discovery.listNamespacedEndpointSlice({ namespace, labelSelector })
    // Another object of this name, in another API, may have slices as well.
    const slices = items.filter((slice) =>
      slice.metadata?.ownerReferences?.some((owner) => owner.uid === uid),
    )
    return backendsOf(slices as EndpointSlice[])
      .filter(({ endpoint }) => conditionsOf(endpoint).ready)
      .map(({ addressType, address, port }) =>
        addressType === 'IPv6' ? `[${address}]:${port?.port}` : `${address}:${port?.port}`,
      )
  }

  while (!signal.aborted) {
    const selectors = await list(api)
    for (const kind of PARENTS) {
      for (const parent of await list(kind)) {
        const { name, namespace } = parent.metadata ?? {}
        const selector = await select(parent, kind, selectors)
        onAddresses(
          `${kind.kind} ${namespace}/${name}`,
          selector === undefined ? [] : await resolve(selector),
        )
      }
    }
    await sleep(1000, undefined, { signal }).catch(() => undefined)
  }
}

async function serves(config: KubeConfig, { group, version, plural }: typeof OWN_API): Promise<boolean> {
  const { groups } = await config.makeApiClient(ApisApi).getAPIVersions()
  const versions = groups.find(({ name }) => name === group)?.versions ?? []
  if (!versions.some((served) => served.version === version)) return false
  const { resources } = await config.makeApiClient(CustomObjectsApi).getAPIResources({ group, version })
  return resources.some(({ name }) => name === plural)
}

/** Makes a handler that returns this instead of an error of the API server with this code. */
const unless =
  <T>(code: number, instead: T) =>
  (error: unknown): T => {
    if (error instanceof ApiException && error.code === code) return instead
    throw error
  }

/** Reports whether an object has all that another one has. */
function includes(object: unknown, other: unknown): boolean {
  if (typeof other !== 'object' || other === null) return object === other
  if (typeof object !== 'object' || object === null) return false
  if (Array.isArray(other) && Array.isArray(object) && other.length !== object.length) return false
  return Object.entries(other).every(([key, value]) =>
    includes((object as Readonly<Record<string, unknown>>)[key], value),
  )
}

if (import.meta.main) {
  const [, , file] = process.argv
  const config = new KubeConfig()
  if (file === undefined) config.loadFromDefault()
  else config.loadFromFile(file)
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  const print = (parent: string, addresses: readonly string[]): void =>
    void process.stdout.write(`${parent}: ${addresses.join(' ') || 'none'}\n`)
  await runConsumer(config, print, ending.signal)
}
