import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { certificateAuthority } from './certificates.ts'

const TEN_YEARS = 10 * 365 * 24 * 3600 * 1000

it('an authority certifies itself, and servers under their names and addresses', async () => {
  const authority = await certificateAuthority(undefined, 'an authority')
  const own = new X509Certificate(authority.certificate)
  expect([own.subject, own.issuer, own.ca]).toEqual(['CN=an authority', 'CN=an authority', true])
  expect(own.verify(own.publicKey)).toBe(true)
  const hosts = ['localhost', '*.example.com', '127.0.0.1', 'fd00::1:2']
  const { certificate, key } = await authority.server(hosts)
  const issued = new X509Certificate(certificate)
  expect(issued.checkIssued(own) && issued.verify(own.publicKey)).toBe(true)
  expect(issued.checkPrivateKey(createPrivateKey(key))).toBe(true)
  expect(issued.subjectAltName).toBe(
    'DNS:localhost, DNS:*.example.com, IP Address:127.0.0.1, IP Address:FD00:0:0:0:0:0:1:2',
  )
  expect(issued.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
  expect(issued.ca).toBe(false)
  expect(issued.validFromDate.getTime()).toBeLessThan(Date.now())
  expect(issued.validToDate.getTime() - Date.now()).toBeGreaterThan(TEN_YEARS - 24 * 3600 * 1000)
})

it('a client is a user in groups, whatever they are called', async () => {
  const authority = await certificateAuthority()
  const name = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    .filter((text) => !text.includes('\0'))
  await fc.assert(
    fc.asyncProperty(name, fc.array(name, { maxLength: 3 }), async (username, groups) => {
      const { certificate } = await authority.client(username, groups)
      const { subject } = new X509Certificate(certificate).toLegacyObject()
      expect(subject.CN).toBe(username)
      expect([subject.O ?? []].flat()).toEqual(groups)
    }),
    { numRuns: 30 },
  )
})

it('an authority goes on with its certificate and its key', async () => {
  const before = await certificateAuthority()
  const after = await certificateAuthority({ certificate: before.certificate, key: before.key })
  expect(after.certificate).toBe(before.certificate)
  const issued = new X509Certificate((await after.client('ada', [])).certificate)
  const own = new X509Certificate(before.certificate)
  expect(issued.checkIssued(own) && issued.verify(own.publicKey)).toBe(true)
  await expect(certificateAuthority({ certificate: 'none', key: before.key })).rejects.toThrow('it is no PEM')
})

it('certificates do for TLS on both sides, of one authority among others of the same name', async () => {
  const [authority, other] = [await certificateAuthority(), await certificateAuthority()]
  const server = await authority.server(['localhost'])
  const ca = [other.certificate, authority.certificate]
  const listener = createServer(
    { cert: server.certificate, key: server.key, ca, requestCert: true, rejectUnauthorized: true },
    ({ socket }, response) => response.end((socket as TLSSocket).getPeerCertificate().subject.CN),
  )
  listener.listen(0, '127.0.0.1')
  onTestFinished(() => void listener.close())
  await once(listener, 'listening')
  const { certificate: cert, key } = await authority.client('ada', ['devs'])
  const { port } = listener.address() as AddressInfo
  const outgoing = request({ host: '127.0.0.1', servername: 'localhost', port, ca, cert, key, agent: false })
  outgoing.end()
  const [response] = await once(outgoing, 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  expect(text).toBe('ada')
})
