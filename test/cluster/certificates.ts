import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import * as der from './der.ts'

/** PEM texts. */
export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

/** What one cluster needs: everything is signed by `authority`, which exists only for it. */
export interface ClusterCertificates {
  readonly authority: string
  /** For 127.0.0.1, localhost and the kubernetes Service's name. */
  readonly server: KeyPair
  /** User `admin` of group `system:masters`. */
  readonly admin: KeyPair
  /** Signs service account tokens. */
  readonly serviceAccounts: KeyPair
}

export function createCertificates(): ClusterCertificates {
  const keys = generateKeys()
  const name: Name = { commonName: 'sliceflow-test' }
  const authority = { name, key: keys.privateKey }
  const signed = (subject: Name, extensions: readonly Buffer[]): KeyPair => {
    const pair = generateKeys()
    return {
      certificate: certificate({ subject, key: pair.publicKey, extensions, authority }),
      key: pemOf(pair.privateKey),
    }
  }
  return {
    authority: certificate({
      subject: name,
      key: keys.publicKey,
      extensions: [CERTIFICATE_AUTHORITY],
      authority,
    }),
    server: signed({ commonName: 'kube-apiserver' }, [
      extendedKeyUsage(SERVER_AUTH),
      alternativeNames('127.0.0.1', ['localhost', 'kubernetes.default.svc']),
    ]),
    admin: signed({ commonName: 'admin', organization: 'system:masters' }, [extendedKeyUsage(CLIENT_AUTH)]),
    serviceAccounts: signed({ commonName: 'service-accounts' }, []),
  }
}

interface Name {
  readonly commonName: string
  readonly organization?: string
}

interface CertificateRequest {
  readonly subject: Name
  readonly key: KeyObject
  readonly extensions: readonly Buffer[]
  readonly authority: { readonly name: Name; readonly key: KeyObject }
}

const COMMON_NAME = '2.5.4.3'
const ORGANIZATION = '2.5.4.10'
const BASIC_CONSTRAINTS = '2.5.29.19'
const ALTERNATIVE_NAMES = '2.5.29.17'
const EXTENDED_KEY_USAGE = '2.5.29.37'
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2'
const HOUR_MS = 60 * 60 * 1000

const generateKeys = (): { publicKey: KeyObject; privateKey: KeyObject } =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** SEC 1, since kube-apiserver reads a service account key in no other form. */
const pemOf = (key: KeyObject): string => key.export({ type: 'sec1', format: 'pem' }).toString()

/** X.509 version 3 (RFC 5280 4.1). An hour back for clocks that differ, a day ahead: no test cluster lives longer. */
function certificate({ subject, key, extensions, authority }: CertificateRequest): string {
  const algorithm = der.sequence(der.objectId(ECDSA_WITH_SHA256))
  const now = Date.now()
  const content = der.sequence(
    der.explicit(0, der.integer(Buffer.from([2]))),
    der.integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    nameOf(authority.name),
    der.sequence(der.time(new Date(now - HOUR_MS)), der.time(new Date(now + 24 * HOUR_MS))),
    nameOf(subject),
    key.export({ type: 'spki', format: 'der' }),
    ...(extensions.length === 0 ? [] : [der.explicit(3, der.sequence(...extensions))]),
  )
  const signature = sign('sha256', content, authority.key)
  const base64 = der.sequence(content, algorithm, der.bitString(signature)).toString('base64')
  const lines = base64.match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

function nameOf({ organization, commonName }: Name): Buffer {
  const part = (id: string, value: string): Buffer => der.set(der.sequence(der.objectId(id), der.text(value)))
  const parts = organization === undefined ? [] : [part(ORGANIZATION, organization)]
  return der.sequence(...parts, part(COMMON_NAME, commonName))
}

const CERTIFICATE_AUTHORITY = der.sequence(
  der.objectId(BASIC_CONSTRAINTS),
  der.yes(),
  der.octetString(der.sequence(der.yes())),
)

const extendedKeyUsage = (purpose: string): Buffer =>
  der.sequence(der.objectId(EXTENDED_KEY_USAGE), der.octetString(der.sequence(der.objectId(purpose))))

/** GeneralName: a DNS name is [2], an address [7]. */
function alternativeNames(ipv4: string, dns: readonly string[]): Buffer {
  const names = [
    der.tag(0x87, Buffer.from(ipv4.split('.').map(Number))),
    ...dns.map((name) => der.tag(0x82, Buffer.from(name, 'ascii'))),
  ]
  return der.sequence(der.objectId(ALTERNATIVE_NAMES), der.octetString(der.sequence(...names)))
}
