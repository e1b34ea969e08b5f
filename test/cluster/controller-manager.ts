import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BinariesError } from '../support/go-program.ts'
import { ensureBinaries } from './binaries.ts'
import { createChildProcesses, untilReady } from './child-processes.ts'
import { freePort } from './free-port.ts'

interface ControllerManagerOptions {
  /**
   * A file whose user may do everything: the controllers run as that user, not as service accounts of their
   * own.
   */
  readonly kubeconfig: string
  /** Names such as `['endpointslice-controller']`, or `['*', '-endpointslice-controller']`. */
  readonly controllers: readonly string[]
  /** `application/json` for servers that do not read protobuf; default: the controllers' own choice. */
  readonly contentType?: string
  readonly flags?: readonly string[]
}

export interface ControllerManager {
  readonly pid: number
  /** Reads its metrics as Prometheus' text. */
  metrics(): Promise<string>
  stop(): Promise<void>
}

/**
 * Starts the real kube-controller-manager; it is killed when this process ends.
 * @throws BinariesError if there is none (KUBEBUILDER_ASSETS often lacks it)
 * @throws ServerError if it does not come up
 */
export async function startControllerManager(options: ControllerManagerOptions): Promise<ControllerManager> {
  const program = (await ensureBinaries())['kube-controller-manager']
  if (program === undefined) {
    throw new BinariesError(
      'KUBEBUILDER_ASSETS has no kube-controller-manager: put it there, or unset it to build one with Go',
    )
  }
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-controllers-'))
  const processes = createChildProcesses()
  processes.guardFolder(folder)
  const port = await freePort()
  const child = await processes.start(
    program,
    controllerManagerFlags(options, port, folder),
    join(folder, 'kube-controller-manager.log'),
  )
  await untilReady('kube-controller-manager', child, () => isHealthy(port))
  return {
    pid: child.pid,
    metrics: async () => (await ask(port, '/metrics')).text,
    async stop() {
      child.kill('SIGKILL')
      await child.ended
      processes.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const controllerManagerFlags = (
  { kubeconfig, controllers, contentType, flags = [] }: ControllerManagerOptions,
  port: number,
  folder: string,
): string[] => [
  `--kubeconfig=${kubeconfig}`,
  `--controllers=${controllers.join(',')}`,
  '--leader-elect=false',
  '--use-service-account-credentials=false',
  '--authentication-skip-lookup=true',
  '--authorization-always-allow-paths=/healthz,/metrics',
  '--bind-address=127.0.0.1',
  `--secure-port=${port}`,
  `--cert-dir=${folder}`,
  ...(contentType === undefined ? [] : [`--kube-api-content-type=${contentType}`]),
  ...flags,
]

const isHealthy = (port: number): Promise<boolean> =>
  ask(port, '/healthz').then(
    ({ status }) => status === 200,
    () => false,
  )

/** Asks it over TLS. Its certificate has no authority, but nothing that it answers here is secret. */
async function ask(port: number, path: string): Promise<{ status: number | undefined; text: string }> {
  const options = { host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false, timeout: 5_000 }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = get(options, resolve)
    request.on('timeout', () => request.destroy(new Error('no answer')))
    request.on('error', reject)
  })
  const text = Buffer.concat(await response.toArray()).toString('utf8')
  return { status: response.statusCode, text }
}
