import { join } from 'node:path'
import { startApiServer } from '../../../../../test/cluster/api-server.ts'
import { startControllerManager } from '../../../../../test/cluster/controller-manager.ts'
import { startControlPlane } from '../../../../../test/support/control-plane-process.ts'
import { CONTROLLERS } from './controllers.ts'

export interface ServerOfClients {
  /** YAML text of a user who may do everything. */
  readonly kubeconfig: string
  stop(): Promise<void>
}

/**
 * A server that clients must not be able to distinguish from the others: its name, its set of resources,
 * and how it is started.
 */
export type Server = readonly [
  name: string,
  set: 'generic' | 'services',
  start: () => Promise<ServerOfClients>,
]

export const KUBE_APISERVER: Server = ['kube-apiserver', 'services', real]
export const EMBEDDED_SERVICES: Server = [
  'the embedded control plane',
  'services',
  () => embedded('services'),
]
export const EMBEDDED_GENERIC: Server = ['the embedded control plane', 'generic', () => embedded('generic')]

export const SERVERS: readonly Server[] = [KUBE_APISERVER, EMBEDDED_SERVICES, EMBEDDED_GENERIC]

/** Starts the command in a process of its own. Clients in this process would have to wait while it works. */
async function embedded(resources: 'generic' | 'services'): Promise<ServerOfClients> {
  const { kubeconfig, end } = await startControlPlane('--resources', resources)
  return { kubeconfig, stop: async () => void (await end('SIGTERM')) }
}

async function real(): Promise<ServerOfClients> {
  const server = await startApiServer()
  const manager = await startControllerManager({
    kubeconfig: server.kubeconfig.path,
    controllers: CONTROLLERS,
    flags: [`--root-ca-file=${join(server.folder, 'ca.crt')}`],
  })
  const stop = async (): Promise<void> => {
    await manager.stop()
    await server.stop()
  }
  return { kubeconfig: server.kubeconfig.text, stop }
}
