import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { expect, it } from 'vitest'
import { Authenticator } from './authentication.ts'

it('a certificate of several common names is that of the last, as Go reads it', async () => {
  const authenticator = new Authenticator({ tokens: [], anonymous: false, clientAuthorities: [] })
  const subject = { CN: ['ada', 'bob'], O: ['devs', 'ops'] }
  const socket = { authorized: true, getPeerCertificate: () => ({ subject }) } as unknown as TLSSocket
  const request = { headers: {} } as IncomingMessage
  expect(await authenticator.authenticate(socket, request)).toMatchObject({
    username: 'bob',
    groups: ['devs', 'ops', 'system:authenticated'],
  })
})
