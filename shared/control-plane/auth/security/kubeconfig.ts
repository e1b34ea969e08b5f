import type { KeyPair } from './certificates.ts'

export interface KubeconfigOptions {
  /** URL of the server. */
  readonly server: string
  /** Its authority's certificate, PEM. */
  readonly authority: string
  readonly client: KeyPair
  /** Of the cluster and its context; the user's begins with it, as users of merged files must not be one. */
  readonly name: string
}

/** A kubeconfig with one cluster, reached with one client certificate; everything is inline. */
export function kubeconfigFor({ server, authority, client, name }: KubeconfigOptions): string {
  const encode = (pem: string): string => Buffer.from(pem).toString('base64')
  // None of the texts needs quotes: written by hand, so that no start loads YAML for this.
  return `apiVersion: v1
kind: Config
clusters:
  - name: ${name}
    cluster:
      server: ${server}
      certificate-authority-data: ${encode(authority)}
users:
  - name: ${name}-admin
    user:
      client-certificate-data: ${encode(client.certificate)}
      client-key-data: ${encode(client.key)}
contexts:
  - name: ${name}
    context:
      cluster: ${name}
      user: ${name}-admin
current-context: ${name}
`
}
