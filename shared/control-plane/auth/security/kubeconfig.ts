import type { KeyPair } from './certificates.ts'

interface KubeconfigOptions {
  /** URL of the server. */
  readonly server: string
  /** Its authority's certificate, PEM. */
  readonly authority: string
  readonly client: KeyPair
  /** Name of cluster and context. It begins the user's name, as merged files must not have equal users. */
  readonly name: string
}

/** What YAML reads as text; others, such as 123 or yes, need quotes. */
const PLAIN_NAME = /^(?!(?:y|yes|n|no|true|false|on|off|null)$)[a-z]/i

/**
 * Makes a kubeconfig with one cluster and one client certificate; everything is inline. By its first line
 * the command knows a file that it may replace.
 */
export function kubeconfigFor({ server, authority, client, name: given }: KubeconfigOptions): string {
  const name = PLAIN_NAME.test(given) ? given : JSON.stringify(given)
  const encode = (pem: string): string => Buffer.from(pem).toString('base64')
  // None of the other texts needs quotes: written by hand, so that no start loads YAML for this.
  return `# Kubeconfig of a Sliceflow control plane
apiVersion: v1
kind: Config
clusters:
  - name: ${name}
    cluster:
      server: ${server}
      certificate-authority-data: ${encode(authority)}
users:
  - name: ${given}-admin
    user:
      client-certificate-data: ${encode(client.certificate)}
      client-key-data: ${encode(client.key)}
contexts:
  - name: ${name}
    context:
      cluster: ${name}
      user: ${given}-admin
current-context: ${name}
`
}
