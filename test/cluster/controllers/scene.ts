import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import {
  builtinResources,
  type ControlPlane,
  createControlPlane,
  type ResourceSet,
} from '../../../shared/control-plane/index.ts'
import { createRawClient, type Json, type RawClient } from '../../support/raw-client.ts'
import { type ControllerManager, startControllerManager } from '../controller-manager.ts'
import { freePort } from '../free-port.ts'

export interface ControllersSetting {
  readonly resources: ResourceSet
  /** What the controllers ask for and send; default: protobuf, their own choice. */
  readonly contentType?: string
  /** True: each controller is the service account of its own that RBAC's roles are for; else all are the administrator. */
  readonly ownAccounts: boolean
}

/** Our server on SQLite, without controllers of its own, and kube-controller-manager's; valid within tests and hooks only. */
export interface ControllersScene {
  readonly client: RawClient
  /** Makes a namespace. */
  namespace(name: string): Promise<Json>
  /** Ends the server and starts it again on what it has written, at the same address; the controllers go on. */
  restart(): Promise<void>
}

interface Running {
  readonly scene: ControllersScene
  stop(): Promise<void>
}

/** Long enough for a machine that is busy with other tests; whoever waits does so until then for what has to come. */
export const PATIENCE = { timeout: 60_000, interval: 100 }

const GENERIC = [
  'namespace-controller',
  'garbage-collector-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
]
const SERVICES = ['endpointslice-controller', 'endpoints-controller', 'endpointslice-mirroring-controller']

/** A block of tests with a server and controllers of its own. */
export function describeControllers(
  name: string,
  setting: ControllersSetting,
  tests: (scene: ControllersScene) => void,
): void {
  describe(name, () => {
    let running: Running | undefined
    beforeAll(async () => {
      running = await start(setting)
    })
    afterAll(() => running?.stop())
    const started = (): ControllersScene => {
      if (running === undefined) throw new Error('the controllers run within tests only')
      return running.scene
    }
    tests({
      get client() {
        return started().client
      },
      namespace: (namespace) => started().namespace(namespace),
      restart: () => started().restart(),
    })
  })
}

async function start({ resources, contentType, ownAccounts }: ControllersSetting): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-controllers-'))
  const dataDir = join(folder, 'data')
  const kubeconfig = join(folder, 'kubeconfig')
  const port = await freePort()
  const open = async (): Promise<ControlPlane> => {
    const controlPlane = await createControlPlane({
      resources: builtinResources(resources),
      crds: true,
      storage: { dataDir },
      authorization: 'RBAC',
      controllers: ['clusterrole-aggregation'],
    })
    await controlPlane.listen({ port })
    return controlPlane
  }
  let controlPlane = await open()
  await writeFile(kubeconfig, controlPlane.kubeconfig, { mode: 0o600 })
  const client = createRawClient(controlPlane.kubeconfig)
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
    scene: {
      client,
      async namespace(name) {
        const { status, text, body } = await client.post('/api/v1/namespaces', { metadata: { name } })
        if (status !== 201) throw new Error(`failed to create the namespace ${name}: ${text}`)
        return body
      },
      async restart() {
        await controlPlane.close()
        controlPlane = await open()
      },
    },
    async stop() {
      client.close()
      await controllers.stop()
      await controlPlane.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
