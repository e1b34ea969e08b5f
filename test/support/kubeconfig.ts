import { parse, stringify } from 'yaml'

export interface KubeconfigCluster {
  /** Name of the context and of its cluster and user. */
  readonly name: string
  readonly server: string
  /** PEM text. */
  readonly authority: string
  readonly user: { readonly token: string } | { readonly certificate: string; readonly key: string }
}

/** Makes a kubeconfig with a context for each cluster; the first is the current one. */
export function kubeconfigText(clusters: readonly KubeconfigCluster[]): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': clusters[0]?.name,
    contexts: clusters.map(({ name }) => ({ name, context: { cluster: name, user: name } })),
    clusters: clusters.map(({ name, server, authority }) => ({
      name,
      cluster: { server, 'certificate-authority-data': base64(authority) },
    })),
    users: clusters.map(({ name, user }) => ({ name, user: credentials(user) })),
  })
}

const credentials = (user: KubeconfigCluster['user']): Record<string, string> =>
  'token' in user
    ? { token: user.token }
    : { 'client-certificate-data': base64(user.certificate), 'client-key-data': base64(user.key) }

const base64 = (text: string): string => Buffer.from(text).toString('base64')

interface Kubeconfig {
  readonly clusters: readonly {
    readonly name: string
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data'?: string }
  }[]
  readonly contexts: readonly unknown[]
  readonly users: readonly unknown[]
}

/** Merges kubeconfigs into one with the contexts of all. */
export function mergeKubeconfigs(texts: readonly string[]): string {
  const all = texts.map((text): Kubeconfig => parse(text))
  return stringify({
    ...all[0],
    clusters: all.flatMap(({ clusters }) => clusters),
    contexts: all.flatMap(({ contexts }) => contexts),
    users: all.flatMap(({ users }) => users),
  })
}

/**
 * Moves the clusters of a kubeconfig to another address.
 * @param authority PEM text; default: that of before
 */
export function withServer(text: string, server: string, authority?: string): string {
  const config: Kubeconfig = parse(text)
  const data = authority !== undefined && { 'certificate-authority-data': base64(authority) }
  const clusters = config.clusters.map(({ cluster, ...rest }) => ({
    ...rest,
    cluster: { ...cluster, server, ...data },
  }))
  return stringify({ ...config, clusters })
}

/** Gives the kubeconfig a bearer token in place of its credentials. */
export function withToken(text: string, token: string): string {
  const config: Kubeconfig & { readonly users: readonly { readonly name: string }[] } = parse(text)
  return stringify({ ...config, users: config.users.map(({ name }) => ({ name, user: { token } })) })
}

/** Returns the URL of the only cluster of a kubeconfig. */
export function serverOf(text: string): URL {
  const config: Kubeconfig = parse(text)
  return new URL(config.clusters[0]?.cluster.server ?? '')
}

/** Returns the PEM text of the authority of a kubeconfig's only cluster. */
export function authorityOf(text: string): string {
  const config: Kubeconfig = parse(text)
  return Buffer.from(config.clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64').toString()
}
