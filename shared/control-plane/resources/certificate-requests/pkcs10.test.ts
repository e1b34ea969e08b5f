import 'reflect-metadata'
import { execFileSync } from 'node:child_process'
import { webcrypto } from 'node:crypto'
import { cryptoProvider, Pkcs10CertificateRequest, Pkcs10CertificateRequestGenerator } from '@peculiar/x509'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { readSigningRequest } from './pkcs10.ts'

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512', modulusLength: 2048 } as const
const WRONG = /^(x509|asn1): /

async function made(name: string, algorithm: object = P256): Promise<Buffer> {
  const keys = await webcrypto.subtle.generateKey(
    { publicExponent: new Uint8Array([1, 0, 1]), ...algorithm } as webcrypto.RsaHashedKeyGenParams,
    true,
    ['sign', 'verify'],
  )
  const signingAlgorithm = algorithm as typeof P256
  const request = await Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm })
  return Buffer.from(request.rawData)
}

const inPem = (der: Buffer): string => new Pkcs10CertificateRequest(der).toString('pem')
const base64 = (text: string): string => Buffer.from(text).toString('base64')
/** Makes PEM of any bytes, also of those that no library accepts. */
const asPem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`

beforeAll(() => cryptoProvider.set(webcrypto))

describe('a request', () => {
  it.each([
    ['P-256', P256],
    ['P-384', { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' }],
    ['RSA', RSA],
    ['Ed25519', { name: 'Ed25519' }],
  ])('of a library, with a key of %s, shows its organizations', async (_, algorithm) => {
    const der = await made('CN=ada, O=system:nodes, O=Zürich 東京', algorithm)
    expect(readSigningRequest(base64(inPem(der))).organizations).toEqual(['system:nodes', 'Zürich 東京'])
  })

  it('of OpenSSL shows its organizations', () => {
    const subject = '/O=first/O=second/CN=ada'
    const options = [
      '-new',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      '/dev/null',
    ]
    const pem = execFileSync('openssl', ['req', ...options, '-subj', subject], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
    expect(readSigningRequest(base64(pem)).organizations).toEqual(['first', 'second'])
  })

  it('is refused when any bit of it is another one', async () => {
    const der = await made('CN=ada, O=devs')
    fc.assert(
      fc.property(fc.nat(der.length * 8 - 1), (bit) => {
        const changed = Buffer.from(der)
        changed.writeUInt8((changed[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3)
        expect(() => readSigningRequest(base64(asPem(changed)))).toThrow(WRONG)
      }),
      { numRuns: 300 },
    )
  })

  it('is refused when it ends early or goes on', async () => {
    const der = await made('CN=ada')
    fc.assert(
      fc.property(fc.nat(der.length - 1), (length) => {
        expect(() => readSigningRequest(base64(asPem(der.subarray(0, length))))).toThrow(WRONG)
      }),
      { numRuns: 50 },
    )
    expect(() => readSigningRequest(base64(asPem(Buffer.concat([der, Buffer.from([5, 0])]))))).toThrow(WRONG)
  })

  it('is nothing else in PEM', () => {
    const text = asPem(Buffer.alloc(3)).replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE')
    const why = 'PEM block type must be CERTIFICATE REQUEST'
    for (const other of [text, 'none', '']) expect(() => readSigningRequest(base64(other))).toThrow(why)
  })
})
