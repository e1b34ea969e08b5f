import { X509Certificate } from 'node:crypto'

/** No chain of authorities is longer. */
const LONGEST = 10

/** Returns the certificates of a PEM text. Throws if it has none, or one that cannot be read. */
export function certificatesOf(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) throw new Error('failed to read certificates: there is none in the PEM text')
  return blocks.map((block) => new X509Certificate(block))
}

/**
 * Reports whether one of the authorities has signed the certificate, directly or through the intermediate
 * ones that came with it. Names alone prove nothing, as several authorities may have the same. TLS checks the
 * times of the certificates.
 */
export function isIssuedBy(certificate: X509Certificate, authorities: readonly X509Certificate[]): boolean {
  let current = certificate
  for (let length = 0; length < LONGEST; length++) {
    if (authorities.some((authority) => signed(authority, current))) return true
    const { issuerCertificate } = current
    if (!issuerCertificate?.ca || !signed(issuerCertificate, current)) return false
    current = issuerCertificate
  }
  return false
}

function signed(issuer: X509Certificate, subject: X509Certificate): boolean {
  return subject.checkIssued(issuer) && subject.verify(issuer.publicKey)
}
