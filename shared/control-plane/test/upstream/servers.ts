import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApiServer } from '../../../../test/cluster/api-server.ts'
import { startControllerManager } from '../../../../test/cluster/controller-manager.ts'
import { startControlPlane } from '../../../../test/support/control-plane-process.ts'

/** A server with the controllers that the specs need. */
interface TestedServer extends AsyncDisposable {
  /** The file of a user who may do everything. */
  readonly kubeconfig: string
  /** Folder for what the tests write. */
  readonly folder: string
}

/**
 * kube-controller-manager's of Endpoints and EndpointSlices, which the embedded control plane has none of.
 */
const ENDPOINTS = ['endpoints-controller', 'endpointslice-controller', 'endpointslice-mirroring-controller']
const OBJECTS = [
  'namespace-controller',
  'garbage-collector-controller',
  'serviceaccount-controller',
  'root-ca-certificate-publisher-controller',
]

/**
 * Starts the command `sliceflow control-plane` with everything that it serves, and its own controllers of
 * objects.
 */
export async function startEmbedded(): Promise<TestedServer> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-upstream-'))
  const server = await startControlPlane()
  const kubeconfig = join(folder, 'kubeconfig')
  await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 })
  const manager = await startControllerManager({ kubeconfig, controllers: ENDPOINTS })
  return {
    kubeconfig,
    folder,
    async [Symbol.asyncDispose]() {
      await manager.stop()
      await server.end('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Starts kube-apiserver, on which all specs pass. It publishes its address in Endpoints, for which it needs
 * one that is not a loopback address.
 */
export async function startReal(): Promise<TestedServer> {
  const server = await startApiServer({
    flags: [
      '--endpoint-reconciler-type=lease',
      '--advertise-address=192.0.2.1',
      // One spec waits until what it has listed is forgotten.
      '--etcd-compaction-interval=20s',
    ],
  })
  const { folder } = server
  const kubeconfig = server.kubeconfig.path
  const manager = await startControllerManager({
    kubeconfig,
    controllers: [...OBJECTS, ...ENDPOINTS],
    flags: [`--root-ca-file=${join(folder, 'ca.crt')}`],
  })
  return {
    kubeconfig,
    folder,
    async [Symbol.asyncDispose]() {
      await manager.stop()
      await server.stop()
    },
  }
}
