import { describe, expect, it } from 'vitest'
import { isLoopback } from '../../../shared/http-server/index.ts'
import { parseAddress } from './address.ts'

describe('an address to listen on', () => {
  it.each(['127.0.0.1', '0.0.0.0', '::', '10.1.2.3', 'fd00::7'])('may be %s', (text) => {
    expect(parseAddress(text)).toBe(text)
  })

  it.each(['localhost', '', '10.1.2', '10.1.2.3:9090', '[::1]'])('may not be "%s"', (text) => {
    expect(() => parseAddress(text)).toThrow('It must be an IP address')
  })

  it.each([
    ['127.0.0.1', true],
    ['127.8.9.10', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['0.0.0.0', false],
    ['::', false],
    ['10.1.2.3', false],
    ['fd00::7', false],
  ])('%s is of this machine alone: %s', (address, expected) => {
    expect(isLoopback(address)).toBe(expected)
  })
})
