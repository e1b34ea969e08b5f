import { describe, expect, it } from 'vitest'
import { blockListOf } from './index.ts'

describe('ranges of addresses', () => {
  it.each([
    ['10.0.0.0/8', '10.255.255.255', 'ipv4', true],
    ['10.0.0.0/8', '11.0.0.0', 'ipv4', false],
    ['10.0.0.1/32', '10.0.0.1', 'ipv4', true],
    ['10.0.0.1/32', '10.0.0.2', 'ipv4', false],
    ['0.0.0.0/0', '192.0.2.1', 'ipv4', true],
    ['fd00::/8', 'fd12::1', 'ipv6', true],
    ['fd00::/8', 'fe80::1', 'ipv6', false],
    ['0.0.0.0/0', 'fd12::1', 'ipv6', false],
  ] as const)('%s has %s (%s): %s', (range, address, family, isIn) => {
    expect(blockListOf(['192.168.0.0/16', range]).check(address, family)).toBe(isIn)
  })

  it('have nothing where there are none', () => {
    expect(blockListOf([]).check('10.0.0.1', 'ipv4')).toBe(false)
  })
})
