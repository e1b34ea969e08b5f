import { isIPv6 } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseIp } from './ip-address.ts'

describe('parseIp', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['010.001.00.255', '10.1.0.255'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::ffff:a00:1', '10.0.0.1'],
  ])('reads %s as the IPv4 address %s', (text, canonical) => {
    expect(parseIp(text)).toEqual({ type: 'IPv4', text: canonical })
  })

  it.each([
    ['fd00:10:f4::1', 'fd00:10:f4::1'],
    ['FD00:0010:f4:0:0:0:0:0001', 'fd00:10:f4::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:db8::1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['64:ff9b::10.0.0.1', '64:ff9b::a00:1'],
    ['64:ff9b::192.168.17.34', '64:ff9b::c0a8:1122'],
    ['1:2:3:4:5:6:192.168.17.34', '1:2:3:4:5:6:c0a8:1122'],
    ['0:0:1:0:0:ffff:a00:1', '::1:0:0:ffff:a00:1'],
  ])('reads %s as the IPv6 address %s', (text, canonical) => {
    expect(parseIp(text)).toEqual({ type: 'IPv6', text: canonical })
  })

  it.each([
    '',
    '10.0.0',
    '10.0.0.256',
    '10.0.0.0x1',
    '10.0.0.1.2',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '1::2::3',
    ':1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:12345',
    '12345:1:2:3:4:5:6:7',
    '1.2.3.4::1',
    '1:2:3:4:5:6:1.2.3',
    '::1.2.3.256',
    'fd00::1%eth0',
    'fd00::12345',
    'example.org',
  ])('does not read %j', (text) => {
    expect(parseIp(text)).toBeUndefined()
  })

  it('gives every form of an IPv6 address the same text, which is the shortest that URLs use', () => {
    const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }))
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (numbers) => {
        fc.pre(!(numbers[5] === 0xffff && numbers.slice(0, 5).every((number) => number === 0)))
        const long = numbers.map((number) => number.toString(16).toUpperCase().padStart(4, '0')).join(':')
        const text = parseIp(long)?.text ?? ''
        expect(isIPv6(text)).toBe(true)
        expect(text).toBe(new URL(`http://[${long}]`).hostname.slice(1, -1))
        expect(parseIp(text)).toEqual({ type: 'IPv6', text })
      }),
    )
  })
})
