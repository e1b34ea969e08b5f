import { stringify } from 'yaml'
import type { KeyPair } from './certificates.ts'

/** A kubeconfig with one cluster, reached with one client certificate; everything is inline. */
export function kubeconfigFor(server: string, authority: string, client: KeyPair): string {
  const encode = (pem: string) => Buffer.from(pem).toString('base64')
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'sliceflow', cluster: { server, 'certificate-authority-data': encode(authority) } }],
      users: [
        {
          name: 'admin',
          user: {
            'client-certificate-data': encode(client.certificate),
            'client-key-data': encode(client.key),
          },
        },
      ],
      contexts: [{ name: 'sliceflow', context: { cluster: 'sliceflow', user: 'admin' } }],
      'current-context': 'sliceflow',
    },
    { lineWidth: 0 },
  )
}
