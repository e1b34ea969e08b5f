import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import { bitsOf, childrenOf, pemBytes, pemOf, readElement } from '../der/read.ts'
import {
  bitString,
  explicit,
  integer,
  objectIdentifier,
  sequence,
  set,
  time,
  utf8String,
} from '../der/write.ts'
import {
  authorityExtensions,
  authorityKeyExtension,
  clientExtensions,
  type Extension,
  serverExtensions,
} from './certificate-extensions.ts'

const ATTRIBUTES = { organization: '2.5.4.10', commonName: '2.5.4.3' } as const

/** One attribute of a name. */
type NamePart = readonly [attribute: keyof typeof ATTRIBUTES, value: string]

/** Makes the DER of a distinguished name, from the general to the particular (RFC 5280, 4.1.2.4). */
function nameOf(parts: readonly NamePart[]): Buffer {
  return sequence(
    ...parts.map(([attribute, value]) =>
      set(sequence(objectIdentifier(ATTRIBUTES[attribute]), utf8String(value))),
    ),
  )
}

/** A certificate and its key, both PEM. */
export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

const ECDSA_WITH_SHA256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'))
const CURVE = 'P-256'
/** X.509 version 3, which extensions need. */
const VERSION = explicit(0, integer(Buffer.from([2])))
const YEARS = 10
const YEAR = 365 * 24 * 3600 * 1000

export interface Authority extends KeyPair {
  /** Issues a certificate for a server that is reached under these host names and addresses. */
  server(hosts: readonly string[]): Promise<KeyPair>
  /** Issues a client certificate: the common name is the user, organizations are its groups. */
  client(username: string, groups: readonly string[]): Promise<KeyPair>
}

/**
 * Makes a certificate authority of that common name, or goes on with an earlier one. Keys are of the curve
 * P-256; certificates are good for ten years (RFC 5280, RFC 5480).
 * @example
 * ```ts
 * const authority = await certificateAuthority()
 * const { certificate } = await authority.server(['localhost', '127.0.0.1'])
 * certificate.includes('BEGIN CERTIFICATE') // => true
 * ```
 */
export async function certificateAuthority(
  existing?: KeyPair,
  commonName = 'sliceflow-ca',
): Promise<Authority> {
  const pair = existing ?? selfSigned(commonName)
  const issuer = issuerOf(pair)
  return {
    ...pair,
    server: async (hosts) => issue(issuer, [['commonName', 'kube-apiserver']], serverExtensions(hosts)),
    client: async (username, groups) => {
      const organizations = groups.map((group): NamePart => ['organization', group])
      return issue(issuer, [...organizations, ['commonName', username]], clientExtensions())
    },
  }
}

interface Issuer {
  /** DER of its name. */
  readonly name: Buffer
  readonly key: KeyObject
  readonly publicKey: KeyObject
}

function selfSigned(commonName: string): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: CURVE })
  const name = nameOf([['commonName', commonName]])
  const extensions = authorityExtensions(keyIdentifier(publicKey))
  const certificate = certificateOf({ name, key: privateKey, publicKey }, { name, publicKey, extensions })
  return { certificate, key: keyText(privateKey) }
}

function issue(issuer: Issuer, subject: readonly NamePart[], extensions: readonly Extension[]): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: CURVE })
  // By its key: authorities of several servers may have the same name, and a client may trust them all.
  const all = [...extensions, authorityKeyExtension(keyIdentifier(issuer.publicKey))]
  const certificate = certificateOf(issuer, { name: nameOf(subject), publicKey, extensions: all })
  return { certificate, key: keyText(privateKey) }
}

/** Throws for what is no certificate or no key. */
function issuerOf({ certificate, key }: KeyPair): Issuer {
  const der = pemBytes(certificate, 'CERTIFICATE')
  const [body] = der ? childrenOf(readElement(der)) : []
  // Version, serial number, algorithm, issuer, validity, subject.
  const subject = body && childrenOf(body)[5]
  if (!subject) throw new Error('failed to read the certificate of the certificate authority: it is no PEM')
  return { name: subject.bytes, key: createPrivateKey(key), publicKey: createPublicKey(certificate) }
}

interface Content {
  /** DER of the subject's name. */
  readonly name: Buffer
  readonly publicKey: KeyObject
  readonly extensions: readonly Extension[]
}

function certificateOf(issuer: Issuer, { name, publicKey, extensions }: Content): string {
  const content = sequence(
    VERSION,
    serialNumber(),
    ECDSA_WITH_SHA256,
    issuer.name,
    validity(),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensions)),
  )
  const signature = sign('sha256', content, issuer.key)
  return pemOf(sequence(content, ECDSA_WITH_SHA256, bitString(signature)), 'CERTIFICATE')
}

/** Makes a serial number, which must be positive and have at most 16 bytes (RFC 5280). */
function serialNumber(): Buffer {
  return integer(Buffer.concat([Buffer.from([1]), randomBytes(15)]))
}

function validity(): Buffer {
  // An hour back, for clients whose clocks are behind.
  return sequence(time(new Date(Date.now() - 3600 * 1000)), time(new Date(Date.now() + YEARS * YEAR)))
}

/** Computes SHA-1 of a key's bits, by which certificates name it (RFC 5280, 4.2.1.2). It proves nothing. */
function keyIdentifier(publicKey: KeyObject): Buffer {
  const [, bits] = childrenOf(readElement(publicKey.export({ type: 'spki', format: 'der' })))
  return createHash('sha1')
    .update(bits ? bitsOf(bits) : '')
    .digest()
}

const keyText = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()
