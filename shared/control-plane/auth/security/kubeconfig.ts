import type { KeyPair } from './certificates.ts'

/** A kubeconfig with one cluster, reached with one client certificate; everything is inline. */
export function kubeconfigFor(server: string, authority: string, client: KeyPair): string {
  const encode = (pem: string): string => Buffer.from(pem).toString('base64')
  // None of the texts needs quotes: written by hand, so that no start loads YAML for this.
  return `apiVersion: v1
kind: Config
clusters:
  - name: sliceflow
    cluster:
      server: ${server}
      certificate-authority-data: ${encode(authority)}
users:
  - name: admin
    user:
      client-certificate-data: ${encode(client.certificate)}
      client-key-data: ${encode(client.key)}
contexts:
  - name: sliceflow
    context:
      cluster: sliceflow
      user: admin
current-context: sliceflow
`
}
