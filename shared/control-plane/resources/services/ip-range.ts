import { randomBytes } from 'node:crypto'
import { BlockList } from 'node:net'
import { canonicalIp, familyOf, groupsOf, type IpFamily } from '../../validation/index.ts'

/** At most so many random draws before the range is searched in order. */
const DRAWS = 16
/** A range counts as having this many addresses at most, as upstream's allocator limits itself. */
const LARGEST = 2n ** 16n

/** A CIDR block that cluster IPs come from, as `10.0.0.0/16`. */
export class IpRange {
  readonly family: IpFamily
  readonly #first: bigint
  readonly #size: bigint
  readonly #block = new BlockList()

  constructor(cidr: string) {
    const [network = '', prefix = ''] = cidr.split('/')
    const family = familyOf(network)
    const bits = family === 'IPv4' ? 32 : 128
    if (!family || !/^\d+$/.test(prefix) || Number(prefix) > bits - 3) {
      throw new RangeError(
        `failed to read service range ${cidr}: it must be a CIDR block of at least 8 addresses`,
      )
    }
    this.family = family
    this.#block.addSubnet(network, Number(prefix), family === 'IPv4' ? 'ipv4' : 'ipv6')
    const size = 1n << BigInt(bits - Number(prefix))
    this.#first = (toNumber(network) / size) * size
    this.#size = size < LARGEST ? size : LARGEST
  }

  contains(address: string): boolean {
    return this.#block.check(address, this.family === 'IPv4' ? 'ipv4' : 'ipv6')
  }

  /** An address that is not used; undefined when all are. */
  free(used: ReadonlySet<string>): string | undefined {
    const usable = this.#size - 2n
    for (let draw = 0; draw < DRAWS; draw++) {
      const address = this.#at(1n + (BigInt(`0x${randomBytes(8).toString('hex')}`) % usable))
      if (!used.has(address)) return address
    }
    for (let offset = 1n; offset <= usable; offset++) {
      const address = this.#at(offset)
      if (!used.has(address)) return address
    }
    return undefined
  }

  #at(offset: bigint): string {
    return toAddress(this.#first + offset, this.family)
  }
}

function toNumber(address: string): bigint {
  if (familyOf(address) === 'IPv4') {
    return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)
  }
  return groupsOf(address).reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n)
}

function toAddress(value: bigint, family: IpFamily): string {
  const width = family === 'IPv4' ? 8n : 16n
  const count = family === 'IPv4' ? 4n : 8n
  const parts = Array.from({ length: Number(count) }, (_, index) => {
    const part = (value >> (width * (count - 1n - BigInt(index)))) & ((1n << width) - 1n)
    return part.toString(family === 'IPv4' ? 10 : 16)
  })
  return family === 'IPv4' ? parts.join('.') : canonicalIp(parts.join(':'))
}
