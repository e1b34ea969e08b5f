import { readFileSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { errorMessage } from '../../values/index.ts'
import { CLUSTER_SET_PREFIX, type ClusterConnection } from '../connection.ts'
import { KubeconfigError } from '../errors/errors.ts'
import { loadCredentials } from './kubeconfig-credentials.ts'
import type { Kubeconfig } from './kubeconfig-file.ts'

/** Files that are merged as kubectl merges KUBECONFIG's; none: the service account of this Pod. */
export type KubeconfigFiles = readonly string[]

const IN_CLUSTER = 'in-cluster'
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

/**
 * Gives the clusters of a kubeconfig, one a context, named as the contexts are; that of the service account
 * is `in-cluster`. Of several files the first one that names a cluster, a user, a context or the current
 * context decides about it.
 * @param contexts which ones; default: the current context
 * @throws KubeconfigError if a file cannot be read or parsed, or a context or its cluster or user is not in
 *   it
 * @example
 * ```ts
 * const [cluster] = await loadClusters('kubeconfig')
 * cluster?.server.protocol // => 'https:'
 * await loadClusters('nowhere.kubeconfig') // throws /nowhere.kubeconfig/
 * ```
 */
export async function loadClusters(
  kubeconfig: string | KubeconfigFiles,
  contexts?: readonly string[],
): Promise<ClusterConnection[]> {
  const { connections, errors } = await loadUsableClusters(kubeconfig, contexts)
  const [error] = errors.values()
  if (error !== undefined) throw error
  return connections
}

/**
 * Loads clusters as {@link loadClusters} does, but for the contexts that cannot be used.
 * @returns their errors by context
 * @throws KubeconfigError if a file cannot be read or parsed
 */
export async function loadUsableClusters(
  kubeconfig: string | KubeconfigFiles,
  contexts?: readonly string[],
): Promise<{ connections: ClusterConnection[]; errors: ReadonlyMap<string, KubeconfigError> }> {
  const files = typeof kubeconfig === 'string' ? [kubeconfig] : kubeconfig
  const config = await loadConfig(files)
  const wanted = contexts === undefined || contexts.length === 0 ? [config.currentContext] : contexts
  const connections: ClusterConnection[] = []
  const errors = new Map<string, KubeconfigError>()
  for (const context of new Set(wanted))
    try {
      connections.push(connectionOf(files, config, context))
    } catch (error) {
      if (!(error instanceof KubeconfigError)) throw error
      errors.set(context, error)
    }
  return { connections, errors }
}

function connectionOf(files: KubeconfigFiles, config: Kubeconfig, context: string): ClusterConnection {
  const { cluster, namespace } = choose(files, config, context)
  const server = serverUrl(files, cluster.server ?? '')
  return {
    name: context,
    ...(namespace && { namespace }),
    server,
    // The files are read each time, so that rotated tokens and certificates take effect.
    async credentials(signal) {
      const { cluster, user } = choose(files, await loadConfig(files), context)
      const now = serverUrl(files, cluster.server ?? '')
      // They are for that server alone.
      if (now.href !== server.href)
        throw new KubeconfigError(
          `${describe(files)}: context "${context}" leads to ${now.host} by now, and to ${server.host} when it was read first; start the process again to follow it`,
        )
      try {
        return await loadCredentials(cluster, user, signal)
      } catch (cause) {
        const reason = errorMessage(cause)
        throw new KubeconfigError(
          `${describe(files)}: the credentials of context "${context}" cannot be loaded: ${reason}`,
          { cause },
        )
      }
    },
  }
}

/** Lists the contexts of the files, in their order. @throws KubeconfigError */
export async function contextNames(files: KubeconfigFiles): Promise<string[]> {
  const { contexts } = await loadConfig(files)
  return [...contexts.keys()]
}

/** Finds the cluster and the user of a context. @throws KubeconfigError if one of the three is not there */
function choose(files: KubeconfigFiles, { contexts, clusters, users }: Kubeconfig, context: string) {
  const found = contexts.get(context)
  if (found === undefined) {
    const problem = context ? `has no context "${context}"` : 'has no current-context'
    throw new KubeconfigError(
      `${describe(files)} ${problem}; choose one of its contexts: ${[...contexts.keys()].join(', ') || '(none)'}`,
    )
  }
  if (context.startsWith(CLUSTER_SET_PREFIX))
    throw new KubeconfigError(
      `${describe(files)}: context "${context}" is the name of a cluster set; give it another: kubectl config rename-context ${context} NAME`,
    )
  const cluster = clusters.get(found.cluster ?? '')
  if (cluster === undefined)
    throw new KubeconfigError(
      `${describe(files)}: context "${context}" names a cluster that is not in the file`,
    )
  const user = found.user ? users.get(found.user) : {}
  if (user === undefined) {
    throw new KubeconfigError(`${describe(files)}: context "${context}" names a user that is not in the file`)
  }
  return { cluster, user, namespace: found.namespace }
}

function serverUrl(files: KubeconfigFiles, text: string): URL {
  const url = URL.parse(text)
  if (url === null || url.host === '')
    throw new KubeconfigError(
      `${describe(files)}: "${text}" is not a URL; give the server as https://host:port`,
    )
  if (url.protocol !== 'https:') {
    throw new KubeconfigError(
      `${describe(files)}: ${url.origin} is not https; credentials are sent over TLS only`,
    )
  }
  return url
}

async function loadConfig(files: KubeconfigFiles): Promise<Kubeconfig> {
  if (files.length === 0) return serviceAccount(process.env)
  // Not everybody who knows clusters reads files: the schemas take some milliseconds.
  const { mergeKubeconfigs, readKubeconfig } = await import('./kubeconfig-file.ts')
  return mergeKubeconfigs(await Promise.all(files.map(readKubeconfig)))
}

/** The kubeconfig of a pod's service account, as client-go's rest.InClusterConfig makes it. */
function serviceAccount(env: Readonly<Record<string, string | undefined>>): Kubeconfig {
  const host = env.KUBERNETES_SERVICE_HOST ?? ''
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${env.KUBERNETES_SERVICE_PORT ?? ''}`
  const cluster = { server, 'certificate-authority': `${SERVICE_ACCOUNT}/ca.crt` }
  const namespace = env.POD_NAMESPACE || ownNamespace()
  return {
    clusters: new Map([[IN_CLUSTER, cluster]]),
    users: new Map([[IN_CLUSTER, { tokenFile: `${SERVICE_ACCOUNT}/token` }]]),
    contexts: new Map([[IN_CLUSTER, { cluster: IN_CLUSTER, user: IN_CLUSTER, namespace }]]),
    currentContext: IN_CLUSTER,
  }
}

function ownNamespace(): string | undefined {
  try {
    return readFileSync(`${SERVICE_ACCOUNT}/namespace`, 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}

const describe = (files: KubeconfigFiles): string =>
  files.length === 0 ? 'the service account' : `kubeconfig ${files.join(', ')}`
