import { CUSTOM_RESOURCE_DEFINITIONS } from '../../shared/fleet/crds.fixtures.ts'
import { customResourceDefinitions } from '../../shared/fleet/index.ts'
import { startApiServer } from '../cluster/api-server.ts'
import { startControllerManager } from '../cluster/controller-manager.ts'
import { applyRoles } from '../cluster/roles.ts'
import { SLICEFLOW_TOKEN, SLICEFLOW_USER } from '../end-to-end/cluster.ts'
import { FLEET_ROLE_FILES } from '../end-to-end/cluster-role.ts'
import { runFakeKubelet } from '../support/fake-kubelet.ts'
import { mergeKubeconfigs } from '../support/kubeconfig.ts'
import { openKubeconfigs } from '../support/kubeconfig-folder.ts'
import { createRawClient, type RawClient } from '../support/raw-client.ts'

/** Several clusters with pods that run nowhere. */
export interface TestedClusters extends AsyncDisposable {
  /** The file of a user who may do everything in each of them, a context a cluster. */
  readonly admin: string
  /** The file of the user that Sliceflow runs as: no more than what infra/rbac grants. */
  readonly user: string
  /** Folder for what the tests write. */
  readonly folder: string
}

/** API server of one cluster. */
interface StartedServer {
  readonly admin: string
  readonly user: string
}

const CONTROLLERS = [
  'endpointslice-controller',
  'deployment-controller',
  'replicaset-controller',
  'namespace-controller',
  'garbage-collector-controller',
]

/**
 * Starts kube-apiservers that serve the Multi-Cluster Services API, kube-controller-manager's controllers
 * of EndpointSlices and workloads, and stand-ins for kubelets. The shipped roles are in place.
 */
export async function startClusters(names: readonly string[]): Promise<TestedClusters> {
  await using stack = new AsyncDisposableStack()
  const kubeconfigs = stack.adopt(await openKubeconfigs(), (open) => open.close())
  const aborted = new AbortController()
  stack.defer(() => aborted.abort())
  const servers: StartedServer[] = []
  for (const [index, name] of names.entries()) {
    const server = await startServer(name, stack)
    await prepareForFleet(server.admin)
    const { client } = await kubeconfigs.connect(server.admin)
    const raw = stack.adopt(createRawClient(server.admin), (open) => open.close())
    const running = runFakeKubelet({ client, raw, addresses: addressesOf(index), signal: aborted.signal })
    stack.defer(async () => {
      aborted.abort()
      await running
    })
    servers.push(server)
  }
  const admin = await kubeconfigs.write(mergeKubeconfigs(servers.map((server) => server.admin)))
  const user = await kubeconfigs.write(mergeKubeconfigs(servers.map((server) => server.user)))
  const { folder } = kubeconfigs
  const started = stack.move()
  return { admin, user, folder, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

async function startServer(name: string, stack: AsyncDisposableStack): Promise<StartedServer> {
  const server = await startApiServer({ name, users: [{ token: SLICEFLOW_TOKEN, user: SLICEFLOW_USER }] })
  stack.defer(() => server.stop())
  const { path: kubeconfig, text: admin } = server.kubeconfig
  const manager = await startControllerManager({ kubeconfig, controllers: CONTROLLERS })
  stack.defer(() => manager.stop())
  return { admin, user: server.kubeconfigFor(SLICEFLOW_TOKEN) }
}

/** Applies what an operator applies before Sliceflow may follow a cluster; resolves once it is served. */
export async function prepareForFleet(admin: string): Promise<void> {
  const client = createRawClient(admin)
  try {
    const { group, version, plural } = CUSTOM_RESOURCE_DEFINITIONS
    for (const definition of customResourceDefinitions()) {
      const { status, text } = await client.post(`/apis/${group}/${version}/${plural}`, definition)
      if (status >= 300) throw new Error(`the server refused a definition with ${status}: ${text}`)
    }
    await applyRoles(client, FLEET_ROLE_FILES)
    await untilServed(client)
  } finally {
    client.close()
  }
}

async function untilServed(client: RawClient): Promise<void> {
  for (const plural of ['serviceexports', 'serviceimports']) {
    while ((await client.get(`/apis/multicluster.x-k8s.io/v1beta1/${plural}`)).status !== 200)
      await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Gives the pods of a cluster addresses that no other cluster has, and that are no cluster IPs. */
const addressesOf =
  (index: number) =>
  (nth: number): string[] => [
    `10.${128 + index}.${nth >> 8}.${nth & 255}`,
    `fd00:${index + 1}::${nth.toString(16)}`,
  ]
