import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApiServer } from '../../../../../test/cluster/api-server.ts'
import {
  type ControllerManager,
  startControllerManager,
} from '../../../../../test/cluster/controller-manager.ts'
import { freePort } from '../../../../../test/cluster/free-port.ts'
import { createRawClient } from '../../../../../test/support/raw-client.ts'
import { builtinResources, type ControlPlane, createControlPlane, type ResourceSet } from '../../../index.ts'
import { startControllersProcess } from '../../controllers/own-process.ts'
import { CONTROLLERS_USER, grantRights } from '../../controllers/rights.ts'
import type { RunningScene } from '../../controllers/scene.ts'

interface ControllersSetting {
  readonly resources: ResourceSet
  /** Media type that the controllers use; default: protobuf, their own choice. */
  readonly contentType?: string
  /**
   * True: each controller is the service account of its own that RBAC's roles are for; else all are the
   * administrator.
   */
  readonly ownAccounts: boolean
}

export interface RestartableScene extends RunningScene {
  /**
   * Ends the server and starts it again on what it has written, at the same address; the controllers go on.
   */
  restart(): Promise<void>
}

const GENERIC = [
  'namespace-controller',
  'garbage-collector-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'resourcequota-controller',
]
const SERVICES = ['endpointslice-controller', 'endpoints-controller', 'endpointslice-mirroring-controller']

/** Starts our server on SQLite, without controllers of its own, and kube-controller-manager. */
export async function startManaged({
  resources,
  contentType,
  ownAccounts,
}: ControllersSetting): Promise<RestartableScene> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-controllers-'))
  const dataDir = join(folder, 'data')
  const kubeconfig = join(folder, 'kubeconfig')
  const port = await freePort()
  const open = async (): Promise<ControlPlane> => {
    const controlPlane = await createControlPlane({
      apis: { resources: builtinResources(resources), crds: true },
      storage: { dataDir },
      authorization: 'RBAC',
      controllers: ['clusterrole-aggregation'],
    })
    await controlPlane.listen({ port })
    return controlPlane
  }
  let controlPlane = await open()
  const text = controlPlane.kubeconfig
  await writeFile(kubeconfig, text, { mode: 0o600 })
  const client = createRawClient(text)
  const controllers: ControllerManager = await startControllerManager({
    kubeconfig,
    controllers: resources === 'generic' ? GENERIC : [...GENERIC, ...SERVICES],
    ...(contentType === undefined ? {} : { contentType }),
    flags: [
      `--service-account-private-key-file=${join(dataDir, 'sa.key')}`,
      `--root-ca-file=${join(dataDir, 'ca.crt')}`,
      `--use-service-account-credentials=${ownAccounts}`,
    ],
  })
  return {
    client,
    clientOf: (token) => createRawClient(text, { authorization: `Bearer ${token}` }),
    async restart() {
      await controlPlane.close()
      controlPlane = await open()
    },
    async stop() {
      client.close()
      await controllers.stop()
      await controlPlane.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Starts kube-apiserver without kube-controller-manager, and our controllers in a process of their own, with
 * the rights that they need.
 */
export async function startOurs(): Promise<RestartableScene> {
  const server = await startApiServer({ users: [CONTROLLERS_USER] })
  const { text } = server.kubeconfig
  const client = createRawClient(text)
  await grantRights(client)
  const kubeconfig = join(server.folder, 'controllers.kubeconfig')
  await writeFile(kubeconfig, server.kubeconfigFor(CONTROLLERS_USER.token), { mode: 0o600 })
  const controllers = await startControllersProcess({
    kubeconfig,
    serviceAccountKey: join(server.folder, 'service-accounts.key'),
  })
  return {
    client,
    clientOf: (token) => createRawClient(text, { authorization: `Bearer ${token}` }),
    restart: () => server.restart(),
    async stop() {
      client.close()
      controllers.kill('SIGTERM')
      await controllers.ended
      await server.stop()
    },
  }
}
