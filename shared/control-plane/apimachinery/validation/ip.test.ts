import { BlockList } from 'node:net'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bytesOfIp, canonicalIp, familyOf, ipOfBytes, isMappedIp } from './ip.ts'

const address = fc.oneof(fc.ipV4(), fc.ipV6())

it('an address comes back from its bytes in its canonical spelling', () => {
  fc.assert(
    fc.property(address, (text) => {
      const bytes = bytesOfIp(text)
      expect(bytes).toHaveLength(familyOf(text) === 'IPv4' ? 4 : 16)
      expect(ipOfBytes(bytes)).toBe(canonicalIp(text))
    }),
  )
})

it('bytes are the address that Node takes the text for', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      const list = new BlockList()
      list.addAddress(ipOfBytes(bytes), 'ipv6')
      const groups = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
      expect(list.check(groups.replace(/(.{4})(?=.)/g, '$1:'), 'ipv6')).toBe(true)
    }),
  )
})

it('an IPv4-mapped IPv6 address is recognized in every spelling', () => {
  for (const text of ['::ffff:1.2.3.4', '::FFFF:102:304', '0:0:0:0:0:ffff:1.2.3.4']) {
    expect(isMappedIp(text)).toBe(true)
  }
  for (const text of ['1.2.3.4', '::ffff', '::1', 'fe80::ffff:1']) expect(isMappedIp(text)).toBe(false)
})
