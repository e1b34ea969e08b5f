import { generateKeyPairSync } from 'node:crypto'
import { certificateAuthority, type KeyPair } from '../../shared/control-plane/index.ts'

/** Certificates of one cluster, as PEM texts. All are signed by `authority`, which exists only for it. */
export interface ClusterCertificates {
  readonly authority: string
  /** Key pair for 127.0.0.1, localhost and the kubernetes Service's name. */
  readonly server: KeyPair
  /** User `admin` of group `system:masters`. */
  readonly admin: KeyPair
  /** PEM of another authority, which certifies this server to those that APIServices delegate to. */
  readonly frontProxyAuthority: string
  readonly frontProxy: KeyPair
  /** Signs service account tokens; in SEC 1, since kube-apiserver reads it in no other form. */
  readonly serviceAccountKey: string
}

export async function createCertificates(): Promise<ClusterCertificates> {
  const authority = await certificateAuthority()
  const frontProxyAuthority = await certificateAuthority(undefined, 'front-proxy-ca')
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    authority: authority.certificate,
    server: await authority.server(['127.0.0.1', 'localhost', 'kubernetes.default.svc']),
    admin: await authority.client('admin', ['system:masters']),
    frontProxyAuthority: frontProxyAuthority.certificate,
    frontProxy: await frontProxyAuthority.client('front-proxy-client', []),
    serviceAccountKey: privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
  }
}
