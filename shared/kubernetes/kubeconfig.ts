import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { KubeConfig } from '@kubernetes/client-node'
import type { ClusterConnection, Credentials } from './connection.ts'
import { KubeconfigError } from './errors.ts'

/**
 * The clusters of a kubeconfig file, one a context, named as the contexts are.
 * @param contexts which ones; default: the current context
 * @throws KubeconfigError if the file cannot be read or parsed, or a context or its cluster or user is not in it
 */
export async function loadClusters(file: string, contexts?: readonly string[]): Promise<ClusterConnection[]> {
  const config = await loadConfig(file)
  const known = config.getContexts().map((context) => context.name)
  const wanted = contexts === undefined || contexts.length === 0 ? [config.getCurrentContext()] : contexts
  return [...new Set(wanted)].map((context) => {
    if (!known.includes(context)) {
      const problem = context ? `has no context "${context}"` : 'has no current-context'
      throw new KubeconfigError(
        `kubeconfig ${file} ${problem}; choose one of its contexts: ${known.join(', ') || '(none)'}`,
      )
    }
    return connectionOf(file, config, context)
  })
}

function connectionOf(file: string, config: KubeConfig, context: string): ClusterConnection {
  config.setCurrentContext(context)
  const cluster = config.getCurrentCluster()
  if (cluster === null)
    throw new KubeconfigError(
      `kubeconfig ${file}: context "${context}" names a cluster that is not in the file`,
    )
  if (config.getCurrentUser() === null) {
    throw new KubeconfigError(`kubeconfig ${file}: context "${context}" names a user that is not in the file`)
  }
  const server = serverUrl(file, cluster.server)
  const namespace = config.getContextObject(context)?.namespace
  return {
    name: context,
    ...(namespace && { namespace }),
    server,
    credentials: () => loadCredentials(file, context),
  }
}

function serverUrl(file: string, text: string): URL {
  const url = URL.parse(text)
  if (url === null)
    throw new KubeconfigError(
      `kubeconfig ${file}: "${text}" is not a URL; give the server as https://host:port`,
    )
  if (url.protocol !== 'https:') {
    throw new KubeconfigError(
      `kubeconfig ${file}: ${url.origin} is not https; credentials are sent over TLS only`,
    )
  }
  return url
}

/** Reads the file anew each time, so that rotated tokens and certificates are taken up. */
async function loadCredentials(file: string, context: string): Promise<Credentials> {
  const config = await loadConfig(file)
  config.setCurrentContext(context)
  const options: Parameters<KubeConfig['applyToHTTPSOptions']>[0] & Record<string, unknown> = {}
  try {
    await config.applyToHTTPSOptions(options)
  } catch (cause) {
    throw new KubeconfigError(
      `kubeconfig ${file}: the credentials of context "${context}" cannot be loaded: ${textOf(cause)}`,
      { cause },
    )
  }
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(options.headers ?? {}))
    headers[name.toLowerCase()] = String(value)
  if (typeof options.auth === 'string')
    headers.authorization = `Basic ${Buffer.from(options.auth).toString('base64')}`
  const { ca, cert, key, servername, rejectUnauthorized } = options as Partial<Credentials>
  const proxied = config.getCurrentCluster()?.proxyUrl !== undefined
  return {
    headers,
    ca,
    cert,
    key,
    servername,
    rejectUnauthorized,
    ...(proxied && { agent: options.agent as Credentials['agent'] }),
  }
}

async function loadConfig(file: string): Promise<KubeConfig> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    throw new KubeconfigError(
      `kubeconfig ${file} cannot be read: ${textOf(cause)}; name a readable file with --kubeconfig`,
      { cause },
    )
  }
  // Loaded here only: it takes a third of a second, and functions that know their clusters otherwise never need it.
  const { KubeConfig } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  try {
    config.loadFromString(text)
    config.makePathsAbsolute(dirname(file))
  } catch (cause) {
    // Without the cause and its other lines: a parser quotes the file, and with it tokens and keys.
    throw new KubeconfigError(`kubeconfig ${file} is not a kubeconfig: ${firstLineOf(textOf(cause))}`)
  }
  return config
}

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
const firstLineOf = (text: string): string => text.split('\n', 1)[0] ?? ''
