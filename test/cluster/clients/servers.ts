import { join } from 'node:path'
import { startControlPlane } from '../../control-plane/process.ts'
import { startApiServer } from '../api-server.ts'
import { startControllerManager } from '../controller-manager.ts'
import { CONTROLLERS } from './controllers.ts'

export interface ServerOfClients {
  /** YAML text of a user who may do everything. */
  readonly kubeconfig: string
  stop(): Promise<void>
}

/** The servers that clients must not tell apart: what each is called, the set of resources that it has, and how it is started. */
export const SERVERS: readonly (readonly [
  name: string,
  set: 'generic' | 'services',
  start: () => Promise<ServerOfClients>,
])[] = [
  ['kube-apiserver', 'services', real],
  ['the embedded control plane', 'services', () => embedded('services')],
  ['the embedded control plane', 'generic', () => embedded('generic')],
]

/** The command, in a process of its own: clients of this one would have to wait while it works. */
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
