import 'reflect-metadata'
import { createPublicKey, verify } from 'node:crypto'
import { Pkcs10CertificateRequest } from '@peculiar/x509'

const BLOCK = 'CERTIFICATE REQUEST'

/** What is asked for by a PKCS#10 request whose signature is right. */
export interface SigningRequest {
  readonly organizations: readonly string[]
}

/** A request as clients send it: base64 of PEM. Throws an Error that says what is wrong with it. */
export function readSigningRequest(base64: string): SigningRequest {
  const der = pemBlock(Buffer.from(base64, 'base64').toString('latin1'))
  const request = parse(der)
  checkSignature(request, der)
  return { organizations: request.subjectName.getField('O') }
}

/** The bytes of the first block of the text. */
function pemBlock(text: string): Buffer {
  const [, type, body] =
    /-----BEGIN ([A-Z0-9 ]{1,64})-----([A-Za-z0-9+/=\s]*)-----END \1-----/.exec(text) ?? []
  if (type !== BLOCK || body === undefined) throw new Error(`PEM block type must be ${BLOCK}`)
  return Buffer.from(body, 'base64')
}

function parse(der: Buffer): Pkcs10CertificateRequest {
  try {
    return new Pkcs10CertificateRequest(new Uint8Array(der))
  } catch (cause) {
    throw new Error('asn1: structure error: not a PKCS#10 certification request', { cause })
  }
}

function checkSignature(request: Pkcs10CertificateRequest, der: Buffer): void {
  let isRight: boolean
  try {
    const key = createPublicKey({ key: Buffer.from(request.publicKey.rawData), format: 'der', type: 'spki' })
    const signature = Buffer.from(request.signature)
    isRight = verify(digestOf(request), signedPart(der), key, signature)
  } catch (cause) {
    throw new Error('x509: cannot verify signature: algorithm unimplemented', { cause })
  }
  if (!isRight) throw new Error('x509: signature verification failure')
}

/** The name that OpenSSL has for the digest; null for keys that bring their own, as Ed25519. */
function digestOf({ signatureAlgorithm: { hash } }: Pkcs10CertificateRequest): string | null {
  return hash ? hash.name.replace('-', '').toLowerCase() : null
}

/** What is signed is the first element within the outer sequence, with its own header (RFC 2986, DER). */
function signedPart(der: Buffer): Buffer {
  const outer = elementAt(der, 0)
  const { end } = elementAt(der, outer.content)
  return der.subarray(outer.content, end)
}

/** Where the content of the element at this place begins and ends. */
function elementAt(der: Buffer, start: number): { content: number; end: number } {
  const first = der.readUInt8(start + 1)
  if (first < 0x80) return { content: start + 2, end: start + 2 + first }
  const size = first & 0x7f
  const content = start + 2 + size
  return { content, end: content + der.readUIntBE(start + 2, size) }
}
