import { stringify } from 'yaml'

export interface KubeconfigCluster {
  /** Name of the context and of its cluster and user. */
  readonly name: string
  readonly server: string
  /** PEM text. */
  readonly authority: string
  readonly user: { readonly token: string } | { readonly certificate: string; readonly key: string }
}

/** A kubeconfig with a context a cluster; the first one is the current one. */
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
    : {
        'client-certificate-data': base64(user.certificate),
        'client-key-data': base64(user.key),
      }

const base64 = (text: string): string => Buffer.from(text).toString('base64')
