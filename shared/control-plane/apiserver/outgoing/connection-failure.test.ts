import { expect, it } from 'vitest'
import { connectionFailure } from './connection-failure.ts'

const refused = (code: string, address: string): Error =>
  Object.assign(new Error(`connect ${code}`), { code, address, port: 443 })

it.each([
  ['ECONNREFUSED', '127.0.0.1', 'dial tcp 127.0.0.1:443: connect: connection refused'],
  ['ECONNREFUSED', '::1', 'dial tcp [::1]:443: connect: connection refused'],
  ['EADDRNOTAVAIL', '::1', 'dial tcp [::1]:443: connect: cannot assign requested address'],
  ['EHOSTUNREACH', '10.0.0.1', 'dial tcp 10.0.0.1:443: connect: no route to host'],
  ['ENETUNREACH', 'fd00::1', 'dial tcp [fd00::1]:443: connect: network is unreachable'],
])('%s of %s is reported in the words of Go', (code, address, text) => {
  expect(connectionFailure(refused(code, address))).toBe(text)
})

it('of a host with several addresses the first one counts, whether the machine speaks IPv6 or not', () => {
  const first = refused('ECONNREFUSED', '127.0.0.1')
  const second = refused('EADDRNOTAVAIL', '::1')
  expect(connectionFailure(new AggregateError([first, second]))).toBe(
    'dial tcp 127.0.0.1:443: connect: connection refused',
  )
})

it('what has no name in Go is reported in the words of Node', () => {
  expect(connectionFailure(new Error('odd'))).toBe('odd')
  expect(connectionFailure('odder')).toBe('odder')
})
