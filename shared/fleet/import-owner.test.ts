import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { derivedServiceName } from './index.ts'

/** Encodes bytes by RFC 4648, section 7, bit by bit. */
function base32hex(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{5}/g) ?? []
  return groups.map((group) => '0123456789ABCDEFGHIJKLMNOPQRSTUV'[Number.parseInt(group, 2)]).join('')
}

describe('the name of a derived Service', () => {
  it('is the one that other implementations give it', () => {
    expect(derivedServiceName('shop', 'web')).toBe('derived-isrlchlhrq')
  })

  it('is made of the digest of namespace and name, as lower-case base32hex', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (namespace, name) => {
        const digest = createHash('sha256').update(`${namespace}/${name}`).digest()
        const expected = `derived-${base32hex(digest).slice(0, 10).toLowerCase()}`
        expect(derivedServiceName(namespace, name)).toBe(expected)
      }),
    )
  })
})
