import { createPublicKey, verify } from 'node:crypto'
import { bitsOf, childrenOf, type Element, pemBytes, readElement } from '../../auth/der/read.ts'
import { objectIdentifier } from '../../auth/der/write.ts'

const BLOCK = 'CERTIFICATE REQUEST'
const ORGANIZATION = objectIdentifier('2.5.4.10')
/** Digests of signatures by OpenSSL's names: RSA, ECDSA (RFC 4055, 5758); Ed25519 has its own (RFC 8410). */
const DIGESTS: readonly (readonly [identifier: string, digest: string | null])[] = [
  ['1.2.840.113549.1.1.11', 'sha256'],
  ['1.2.840.113549.1.1.12', 'sha384'],
  ['1.2.840.113549.1.1.13', 'sha512'],
  ['1.2.840.10045.4.3.2', 'sha256'],
  ['1.2.840.10045.4.3.3', 'sha384'],
  ['1.2.840.10045.4.3.4', 'sha512'],
  ['1.3.101.112', null],
]
/** A text of two bytes a character; all others are ASCII or UTF-8. */
const BMP_STRING = 0x1e

/** Content of a PKCS#10 request whose signature is right. */
interface SigningRequest {
  readonly organizations: readonly string[]
}

/** Reads a client's request: base64 of PEM (RFC 2986). Throws an Error that says what is wrong with it. */
export function readSigningRequest(base64: string): SigningRequest {
  const der = pemBlock(Buffer.from(base64, 'base64').toString('latin1'))
  const request = parse(der)
  checkSignature(request)
  return { organizations: request.organizations }
}

/** Returns the bytes of the first block of the text. */
function pemBlock(text: string): Buffer {
  const [, type] = /-----BEGIN ([A-Z0-9 ]{1,64})-----/.exec(text) ?? []
  const body = pemBytes(text, BLOCK)
  if (type !== BLOCK || body === undefined) throw new Error(`PEM block type must be ${BLOCK}`)
  return body
}

interface Parsed {
  readonly organizations: readonly string[]
  /** Part of the request that is signed. */
  readonly info: Element
  readonly publicKey: Element
  readonly algorithm: Element
  readonly signature: Buffer
}

function parse(der: Buffer): Parsed {
  try {
    const request = readElement(der)
    if (request.bytes.length < der.length) throw new RangeError('failed to read DER: something follows it')
    const [info, algorithms, signature] = childrenOf(request)
    const [, subject, publicKey] = info ? childrenOf(info) : []
    const [algorithm] = algorithms ? childrenOf(algorithms) : []
    if (info && subject && publicKey && algorithm && signature) {
      const organizations = organizationsOf(subject)
      return { organizations, info, publicKey, algorithm, signature: bitsOf(signature) }
    }
  } catch (cause) {
    throw new Error('asn1: structure error: not a PKCS#10 certification request', { cause })
  }
  throw new Error('asn1: structure error: not a PKCS#10 certification request')
}

function organizationsOf(name: Element): string[] {
  const attributes = childrenOf(name).flatMap((part) => childrenOf(part, 'set'))
  return attributes.flatMap((attribute) => {
    const [type, value] = childrenOf(attribute)
    return type?.bytes.equals(ORGANIZATION) && value !== undefined ? [textOf(value)] : []
  })
}

function textOf({ tag, content }: Element): string {
  if (tag === BMP_STRING) return Buffer.from(content).swap16().toString('utf16le')
  return content.toString('utf8')
}

function checkSignature({ info, publicKey, algorithm, signature }: Parsed): void {
  let isRight: boolean
  try {
    const key = createPublicKey({ key: publicKey.bytes, format: 'der', type: 'spki' })
    isRight = verify(digestOf(algorithm), info.bytes, key, signature)
  } catch (cause) {
    throw new Error('x509: cannot verify signature: algorithm unimplemented', { cause })
  }
  if (!isRight) throw new Error('x509: signature verification failure')
}

function digestOf(algorithm: Element): string | null {
  const found = DIGESTS.find(([identifier]) => objectIdentifier(identifier).equals(algorithm.bytes))
  if (!found) throw new Error('the algorithm of the signature is none that is known')
  return found[1]
}
