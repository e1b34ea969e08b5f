import { createPrivateKey, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { ClusterConnection } from '../../kubernetes/index.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import { LazyServiceAccountTokens } from '../auth/security/lazy-service-account-tokens.ts'
import { LeaderElection } from './leader-election.ts'
import type { ApiControllerName } from './names.ts'
import { startControllers } from './start.ts'

export interface RemoteControllersOptions {
  readonly controllers: readonly ApiControllerName[]
  /** Authority by which workloads verify the server, PEM. Default: the one of this connection. */
  readonly certificate?: string
  /** Private key of service account tokens, PEM: RSA or elliptic curve. `serviceaccount-token` needs it. */
  readonly serviceAccountKey?: string
  /** True: lead by kube-controller-manager's Lease in kube-system, stop when it is lost. Default false. */
  readonly leaderElection?: boolean
  /** Called with failures. What has failed is tried again. */
  readonly onError: (error: unknown) => void
}

export interface RemoteControllers {
  /** Resolves once everything followed is listed. Rejects if the connection has no credentials any more. */
  readonly ready: Promise<void>
  /** Resolves when the controllers have been stopped because the Lease could not be renewed. */
  readonly lost: Promise<void>
  close(): Promise<void>
}

/**
 * Runs controllers against an API server somewhere else, as the user of the connection, who needs what
 * upstream's roles `system:controller:…` allow. One process may run a controller at a time, which leader
 * election sees to. While the server is away, it is tried again.
 *
 * @throws Error where the key is missing or of another kind
 * @example
 * ```ts
 * const [connection] = await loadClusters('kubeconfig')
 * if (connection === undefined) throw new Error('no cluster')
 * const options = { controllers: ['namespace'] as const, onError: console.error }
 * const controllers = await startRemoteControllers(connection, options)
 * await controllers.ready
 * await controllers.close()
 * ```
 */
export async function startRemoteControllers(
  connection: ClusterConnection,
  options: RemoteControllersOptions,
): Promise<RemoteControllers> {
  const issueToken = tokenIssuer(options)
  // A control plane that has its controllers in its own process does not need it.
  const { RemoteClient } = await import('./client/remote/remote-client.ts')
  const client = new RemoteClient(connection, options.onError)
  const onError = (error: unknown): void => client.report(error)
  const stopped = new AbortController()
  const lost = Promise.withResolvers<void>()
  const election = new LeaderElection({
    client,
    identity: `${hostname()}_${randomUUID()}`,
    signal: stopped.signal,
    onError,
  })
  let stopControllers = (): void => undefined

  async function lead(): Promise<boolean> {
    if (!options.leaderElection) return !stopped.signal.aborted
    if (!(await election.acquire())) return false
    void election.hold().then(() => {
      stopControllers()
      if (stopped.signal.aborted) return
      // Nothing that has been begun is written any more.
      client.stop()
      lost.resolve()
    })
    return true
  }

  async function start(): Promise<void> {
    await client.start()
    const certificate = options.certificate ?? String((await connection.credentials()).ca ?? '')
    if (!(await lead())) return
    stopControllers = startControllers(options.controllers, {
      clientOf: () => client,
      certificate,
      issueToken,
      onError,
    })
    await client.listed()
  }

  return {
    ready: start(),
    lost: lost.promise,
    async close() {
      stopped.abort()
      stopControllers()
      if (options.leaderElection) await election.release()
      client.stop()
    },
  }
}

function tokenIssuer({
  controllers,
  serviceAccountKey,
}: RemoteControllersOptions): (account: KubeObject, secretName: string) => Promise<string> {
  if (!controllers.includes('serviceaccount-token')) {
    return async () => {
      throw new Error('failed to issue a token: no controller asks for one')
    }
  }
  if (serviceAccountKey === undefined)
    throw new Error(
      'failed to start serviceaccount-token: it needs the private key of service account tokens',
    )
  const key = pkcs8Of(serviceAccountKey)
  const tokens = new LazyServiceAccountTokens(async () => key)
  return (account, secretName) => tokens.issueForSecret(account, secretName)
}

/** Converts a key of any PEM form. Errors lack OpenSSL's words, so that nothing of a key is in them. */
function pkcs8Of(pem: string): string {
  const key = parsedKey(pem)
  if (key?.asymmetricKeyType !== 'rsa' && key?.asymmetricKeyType !== 'ec')
    throw new Error(
      'failed to start serviceaccount-token: the private key of service account tokens is no RSA or EC key in PEM',
    )
  return String(key.export({ type: 'pkcs8', format: 'pem' }))
}

function parsedKey(pem: string): ReturnType<typeof createPrivateKey> | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}
