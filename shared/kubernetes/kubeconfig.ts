import { readFile } from 'node:fs/promises'
import type { Agent } from 'node:https'
import { dirname, resolve } from 'node:path'
import type { Cluster, KubeConfig, User } from '@kubernetes/client-node'
import type { ClusterConnection, Credentials } from './connection.ts'
import { KubeconfigError } from './errors.ts'
import { execOf, runExecPlugin } from './exec-plugin.ts'
import { MAX_SOCKETS } from './session.ts'

/**
 * Files that are merged as kubectl merges those of KUBECONFIG; none: the service account of the pod that this
 * runs in.
 */
export type KubeconfigFiles = readonly string[]

const IN_CLUSTER = 'in-cluster'

/**
 * Gives the clusters of a kubeconfig, one a context, named as the contexts are; that of the service account
 * is `in-cluster`. Of several files the first one that names a cluster, a user, a context or the current
 * context decides about it.
 * @param contexts which ones; default: the current context
 * @throws KubeconfigError if a file cannot be read or parsed, or a context or its cluster or user is not in
 *   it
 */
export async function loadClusters(
  kubeconfig: string | KubeconfigFiles,
  contexts?: readonly string[],
): Promise<ClusterConnection[]> {
  const files = typeof kubeconfig === 'string' ? [kubeconfig] : kubeconfig
  const config = await loadConfig(files)
  const wanted = contexts === undefined || contexts.length === 0 ? [config.getCurrentContext()] : contexts
  return [...new Set(wanted)].map((context) => connectionOf(files, config, context))
}

function connectionOf(files: KubeconfigFiles, config: KubeConfig, context: string): ClusterConnection {
  const { cluster, namespace } = choose(files, config, context)
  const server = serverUrl(files, cluster.server)
  return {
    name: context,
    ...(namespace && { namespace }),
    server,
    credentials: (signal) => loadCredentials(files, context, signal),
  }
}

interface Chosen {
  readonly cluster: Cluster
  readonly user: User
  readonly namespace: string | undefined
}

/** Makes the context the current one. @throws KubeconfigError if it, its cluster or its user is not there */
function choose(files: KubeconfigFiles, config: KubeConfig, context: string): Chosen {
  const found = config.getContextObject(context)
  if (found === null) {
    const problem = context ? `has no context "${context}"` : 'has no current-context'
    const known = config.getContexts().map(({ name }) => name)
    throw new KubeconfigError(
      `${describe(files)} ${problem}; choose one of its contexts: ${known.join(', ') || '(none)'}`,
    )
  }
  config.setCurrentContext(context)
  const cluster = config.getCurrentCluster()
  if (cluster === null)
    throw new KubeconfigError(
      `${describe(files)}: context "${context}" names a cluster that is not in the file`,
    )
  const user = config.getCurrentUser()
  if (user === null) {
    throw new KubeconfigError(`${describe(files)}: context "${context}" names a user that is not in the file`)
  }
  return { cluster, user, namespace: found.namespace }
}

function serverUrl(files: KubeconfigFiles, text: string): URL {
  const url = URL.parse(text)
  if (url === null)
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

/** Reads the files anew each time, so that rotated tokens and certificates are taken up. */
async function loadCredentials(
  files: KubeconfigFiles,
  context: string,
  signal?: AbortSignal,
): Promise<Credentials> {
  const config = await loadConfig(files)
  const { cluster, user } = choose(files, config, context)
  const options: Parameters<KubeConfig['applyToHTTPSOptions']>[0] & Record<string, unknown> = {}
  try {
    await runPluginOf(user, config, signal)
    await config.applyToHTTPSOptions(options)
  } catch (cause) {
    throw new KubeconfigError(
      `${describe(files)}: the credentials of context "${context}" cannot be loaded: ${textOf(cause)}`,
      { cause },
    )
  }
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(options.headers ?? {}))
    headers[name.toLowerCase()] = String(value)
  if (typeof options.auth === 'string')
    headers.authorization = `Basic ${Buffer.from(options.auth).toString('base64')}`
  const { ca, cert, key, servername, rejectUnauthorized } = options as Partial<Credentials>
  return {
    headers,
    ca,
    cert,
    key,
    servername,
    rejectUnauthorized,
    ...(cluster.proxyUrl !== undefined && { agent: keeping(options.agent as Agent) }),
  }
}

/** Makes an agent keep connections. Without it, client-node's agent opens a tunnel for each call. */
const keeping = (agent: Agent): Agent => Object.assign(agent, { keepAlive: true, maxSockets: MAX_SOCKETS })

async function runPluginOf(user: User, config: KubeConfig, signal: AbortSignal | undefined): Promise<void> {
  const plugin = execOf(user)
  if (plugin !== undefined) config.users = [await runExecPlugin(user, plugin, signal)]
}

async function loadConfig(files: KubeconfigFiles): Promise<KubeConfig> {
  // Loaded here only: it takes a third of a second, and functions that know their clusters otherwise never
  // need it.
  const { KubeConfig } = await import('@kubernetes/client-node')
  const [first, ...others] = await Promise.all(files.map((file) => loadFile(file, new KubeConfig())))
  if (first === undefined) return serviceAccount(new KubeConfig())
  for (const other of others) merge(first, other)
  return first
}

async function loadFile(file: string, config: KubeConfig): Promise<KubeConfig> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    throw new KubeconfigError(
      `kubeconfig ${file} cannot be read: ${textOf(cause)}; name a readable file with --kubeconfig`,
      { cause },
    )
  }
  try {
    config.loadFromString(text)
    config.makePathsAbsolute(dirname(file))
    await readTokenFiles(config, text, dirname(file))
  } catch (cause) {
    // Without the cause and its other lines: a parser quotes the file, and with it tokens and keys.
    throw new KubeconfigError(`kubeconfig ${file} is not a kubeconfig: ${firstLineOf(textOf(cause))}`)
  }
  return config
}

/** Reads the token files that a kubeconfig names. client-node knows only those of service accounts. */
async function readTokenFiles(config: KubeConfig, text: string, folder: string): Promise<void> {
  const { parse } = await import('yaml')
  const { users } = parse(text) as {
    users?: { name?: string; user?: { tokenFile?: string } | null }[]
  }
  const files = new Map(users?.flatMap(({ name, user }) => (user?.tokenFile ? [[name, user.tokenFile]] : [])))
  config.users = config.users.map((user) => {
    const tokenFile = files.get(user.name)
    if (tokenFile === undefined || user.token) return user
    return { ...user, authProvider: { name: 'tokenFile', config: { tokenFile: resolve(folder, tokenFile) } } }
  })
}

/** Merges files as client-go's loading rules do: a later file changes nothing that an earlier one says. */
function merge(config: KubeConfig, other: KubeConfig): void {
  const added = <T extends { readonly name: string }>(before: readonly T[], more: readonly T[]): T[] => [
    ...before,
    ...more.filter(({ name }) => before.every((known) => known.name !== name)),
  ]
  config.clusters = added(config.clusters, other.clusters)
  config.users = added(config.users, other.users)
  config.contexts = added(config.contexts, other.contexts)
  if (!config.currentContext && other.currentContext) config.setCurrentContext(other.currentContext)
}

function serviceAccount(config: KubeConfig): KubeConfig {
  config.loadFromCluster()
  config.contexts = config.contexts.map((context) => ({ ...context, name: IN_CLUSTER }))
  config.setCurrentContext(IN_CLUSTER)
  return config
}

const describe = (files: KubeconfigFiles): string =>
  files.length === 0 ? 'the service account' : `kubeconfig ${files.join(', ')}`

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
const firstLineOf = (text: string): string => text.split('\n', 1)[0] ?? ''
