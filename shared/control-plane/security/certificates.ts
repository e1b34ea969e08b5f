import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

/** A certificate and its key, both PEM. */
export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const YEARS = 10
const YEAR = 365 * 24 * 3600 * 1000

export interface Authority extends KeyPair {
  /** Issues a certificate for a server that is reached under these host names and addresses. */
  server(hosts: readonly string[]): Promise<KeyPair>
  /** Issues a client certificate: the common name is the user, organizations are its groups. */
  client(username: string, groups: readonly string[]): Promise<KeyPair>
}

/** Makes a certificate authority of that common name, or goes on with an earlier one. */
export async function certificateAuthority(
  existing?: KeyPair,
  commonName = 'sliceflow-ca',
): Promise<Authority> {
  x509.cryptoProvider.set(webcrypto)
  const pair = existing ?? (await selfSigned(commonName))
  const issuer = new x509.X509Certificate(pair.certificate)
  const signingKey = await importKey(pair.key)
  const issue = (subject: x509.JsonName, extensions: x509.Extension[]) =>
    issueCertificate({ issuer, signingKey, subject, extensions })
  return {
    ...pair,
    server: (hosts) =>
      issue(
        [{ CN: ['kube-apiserver'] }],
        [
          new x509.SubjectAlternativeNameExtension(hosts.map(alternativeName)),
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        ],
      ),
    client: (username, groups) =>
      issue(
        [{ O: [...groups] }, { CN: [username] }],
        [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
      ),
  }
}

function alternativeName(host: string): x509.JsonGeneralName {
  return { type: /^[\d.]+$|:/.test(host) ? 'ip' : 'dns', value: host }
}

async function selfSigned(commonName: string): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: [commonName] }],
    ...validity(),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certificate: certificate.toString('pem'), key: await exportKey(keys.privateKey) }
}

async function issueCertificate(request: {
  issuer: x509.X509Certificate
  signingKey: webcrypto.CryptoKey
  subject: x509.JsonName
  extensions: x509.Extension[]
}): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: new x509.Name(request.subject),
    issuer: request.issuer.subject,
    ...validity(),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: request.signingKey,
    // By its key: authorities of several servers may have the same name, and a client may trust them all.
    extensions: [
      ...request.extensions,
      await x509.AuthorityKeyIdentifierExtension.create(request.issuer.publicKey),
    ],
  })
  return { certificate: certificate.toString('pem'), key: await exportKey(keys.privateKey) }
}

/** Positive and of 16 bytes at most, as RFC 5280 wants serial numbers. */
function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(15))
  return `01${Buffer.from(bytes).toString('hex')}`
}

function validity(): { notBefore: Date; notAfter: Date } {
  // An hour back, for clients whose clocks are behind.
  return { notBefore: new Date(Date.now() - 3600 * 1000), notAfter: new Date(Date.now() + YEARS * YEAR) }
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')
}

async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const [der] = x509.PemConverter.decode(pem)
  if (!der) throw new Error('failed to read the private key of the certificate authority: it is no PEM')
  return await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, true, ['sign'])
}
