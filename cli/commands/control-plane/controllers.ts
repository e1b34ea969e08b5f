import type { ApiControllerName } from '../../../shared/control-plane/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import { loadCluster } from '../../clusters/open-clusters.ts'
import { readText } from '../../deployment/read-text.ts'
import { untilTerminated } from '../../signals.ts'
import { UsageError } from '../../usage.ts'
import type { ControlPlaneFlags } from './command.ts'

type ControllersFlags = ControlPlaneFlags['controllers']

/** Names of kube-controller-manager, now and before, that are not one of these with `-controller` or not. */
const ALIASES: ReadonlyMap<string, ApiControllerName> = new Map([
  ['garbagecollector', 'garbage-collector'],
  ['root-ca-cert-publisher', 'root-ca-certificate-publisher'],
])

/** Runs the controllers against the server of the kubeconfig until SIGTERM or SIGINT. */
export async function runControllers(flags: ControllersFlags): Promise<void> {
  const { kubeconfig, serviceAccountPrivateKeyFile: keyFile, rootCaFile } = flags
  if (kubeconfig === undefined) {
    throw new UsageError(
      '--only controllers needs --kubeconfig FILE, which says where the API server is and who the controllers are',
    )
  }
  // Loaded when it is needed: it would slow down every --help.
  const { API_CONTROLLERS, startRemoteControllers } = await import('../../../shared/control-plane/index.ts')
  const connection = await loadCluster({ kubeconfig })
  const controllers = await startRemoteControllers(connection, {
    controllers: chosen(flags, API_CONTROLLERS),
    serviceAccountKey: keyFile && readText('private key', keyFile),
    certificate: rootCaFile && readText('root certificate', rootCaFile),
    leaderElection: flags.leaderElect,
    onError: (error) => process.stderr.write(`sliceflow: ${errorMessage(error)}\n`),
  })
  const terminated = untilTerminated()
  try {
    const isReady = await Promise.race([controllers.ready.then(() => true), terminated.then(() => false)])
    if (isReady) process.stdout.write(`ready: controllers for ${connection.server.origin}\n`)
    await Promise.race([terminated, controllers.lost.then(refuseToGoOn)])
  } finally {
    await controllers.close()
  }
  process.exit(0)
}

function refuseToGoOn(): never {
  throw new Error(
    'lost the lease kube-system/kube-controller-manager: it could not be renewed in time, and another process may lead now; start this one again',
  )
}

/**
 * Returns the controllers that are named. If none is named, these are all, but without `serviceaccount-token`
 * if there is no key.
 * @throws UsageError
 */
function chosen(
  { controllers, serviceAccountPrivateKeyFile: keyFile }: ControllersFlags,
  all: readonly ApiControllerName[],
): ApiControllerName[] {
  if (controllers === undefined)
    return all.filter((name) => name !== 'serviceaccount-token' || keyFile !== undefined)
  const names = controllers.split(',').map((text) => {
    const short = text.trim().replace(/-controller$/, '')
    const name = ALIASES.get(short) ?? all.find((known) => known === short)
    if (name === undefined)
      throw new UsageError(`--controllers: there is no controller "${text}"; choose from ${all.join(', ')}`)
    return name
  })
  if (names.includes('serviceaccount-token') && keyFile === undefined)
    throw new UsageError('--controllers: serviceaccount-token needs --service-account-private-key-file')
  return [...new Set(names)]
}
