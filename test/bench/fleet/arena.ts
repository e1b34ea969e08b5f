import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startApiServer } from '../../cluster/api-server.ts'
import { startControllerManager } from '../../cluster/controller-manager.ts'
import { SLICEFLOW_TOKEN, SLICEFLOW_USER } from '../../end-to-end/cluster.ts'
import { prepareForFleet } from '../../mcs-api/clusters.ts'
import { startControlPlane } from '../../support/control-plane-process.ts'
import { mergeKubeconfigs, withToken } from '../../support/kubeconfig.ts'
import { type KubeconfigFolder, openKubeconfigs } from '../../support/kubeconfig-folder.ts'
import { createRawClient, type RawClient } from '../../support/raw-client.ts'
import { type AuditLog, auditFlags, openAuditLog } from './audit-log.ts'

/** One of the clusters that are measured. */
export interface BenchCluster {
  readonly name: string
  /** May do everything. */
  readonly client: RawClient
  /** Records what Sliceflow asks of it. */
  readonly audit: AuditLog
  /** Whether kube-controller-manager makes the slices of its Services, out of pods. */
  readonly hasPods: boolean
}

export interface Arena extends AsyncDisposable {
  readonly clusters: readonly BenchCluster[]
  /** The file of the user that Sliceflow runs as: no more than what infra/rbac grants. */
  readonly kubeconfig: string
}

export const SERVERS = ['kube-apiserver', 'embedded'] as const

/** Names what the API servers are. */
export type ServerKind = (typeof SERVERS)[number]

interface StartedServer {
  readonly admin: string
  /** The file of the same. */
  readonly file: string
  readonly user: string
}

type StartServer = (
  name: string,
  kubeconfigs: KubeconfigFolder,
  stack: AsyncDisposableStack,
) => Promise<StartedServer>

/**
 * Starts API servers, each with a store of its own: etcd of a kube-apiserver, memory of an embedded one.
 * @param withPods the first so many have the in-tree endpointslice-controller
 */
export async function openArena(
  kind: ServerKind,
  names: readonly string[],
  withPods: number,
): Promise<Arena> {
  await using stack = new AsyncDisposableStack()
  const kubeconfigs = stack.adopt(await openKubeconfigs(), (open) => open.close())
  const { folder } = kubeconfigs
  const start = kind === 'embedded' ? startEmbedded : startReal
  const clusters: BenchCluster[] = []
  const users: string[] = []
  for (const [index, name] of names.entries()) {
    const { admin, file, user } = await start(name, kubeconfigs, stack)
    await prepareForFleet(admin)
    const hasPods = index < withPods
    if (hasPods) {
      const manager = await startControllerManager({
        kubeconfig: file,
        controllers: ['endpointslice-controller'],
        flags: ['--kube-api-qps=500', '--kube-api-burst=500', '--concurrent-service-endpoint-syncs=20'],
      })
      stack.defer(() => manager.stop())
    }
    const client = createRawClient(admin)
    stack.defer(() => client.close())
    clusters.push({ name, client, audit: openAuditLog(auditFile(folder, name)), hasPods })
    users.push(user)
  }
  const kubeconfig = await kubeconfigs.write(mergeKubeconfigs(users))
  const started = stack.move()
  return { clusters, kubeconfig, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

const auditFile = (folder: string, name: string): string => join(folder, `${name}.audit`)

const startReal: StartServer = async (name, { folder }, stack) => {
  const server = await startApiServer({
    name,
    users: [{ token: SLICEFLOW_TOKEN, user: SLICEFLOW_USER }],
    flags: await auditFlags(folder, auditFile(folder, name)),
  })
  stack.defer(() => server.stop())
  const { path: file, text: admin } = server.kubeconfig
  return { admin, file, user: server.kubeconfigFor(SLICEFLOW_TOKEN) }
}

const startEmbedded: StartServer = async (name, { folder, write }, stack) => {
  const tokens = join(folder, `${name}.tokens`)
  await writeFile(tokens, `${SLICEFLOW_TOKEN},${SLICEFLOW_USER},${SLICEFLOW_USER}\n`, { mode: 0o600 })
  const server = await startControlPlane(
    ...['--name', name, '--token-auth-file', tokens, '--audit-log', auditFile(folder, name)],
  )
  stack.defer(async () => void (await server.end('SIGTERM')))
  const file = await write(server.kubeconfig)
  return { admin: server.kubeconfig, file, user: withToken(server.kubeconfig, SLICEFLOW_TOKEN) }
}
