import { randomBytes } from 'node:crypto'
import { bytesOfIp, familyOf, type IpFamily, ipOfBytes } from '../../apimachinery/validation/ip.ts'

/** Number of random draws before the range is searched in order. */
const DRAWS = 16
/** Lower part of a range, for requested addresses: a sixteenth, within these bounds (KEP-3070). */
const STATIC_SHARE = 16n
const STATIC_LEAST = 16n
const STATIC_MOST = 256n
/** A range counts as having this many addresses at most, as upstream's allocator limits itself. */
const LARGEST = 2n ** 16n

/** A CIDR block that cluster IPs come from, as `10.0.0.0/16`. */
export class IpRange {
  /** The block as it was written. */
  readonly cidr: string
  readonly family: IpFamily
  readonly #first: bigint
  readonly #size: bigint
  /** Number of addresses that are given out without being asked for. */
  readonly #count: bigint

  constructor(cidr: string) {
    const [network = '', prefix = ''] = cidr.split('/')
    const family = familyOf(network)
    const bits = family === 'IPv4' ? 32 : 128
    if (!family || !/^\d+$/.test(prefix) || Number(prefix) > bits) {
      throw new RangeError(`failed to read service range ${cidr}: it must be a CIDR block, as 10.0.0.0/16`)
    }
    this.family = family
    const size = 1n << BigInt(bits - Number(prefix))
    this.#first = (toNumber(network) / size) * size
    this.#size = size
    this.#count = size < LARGEST ? size : LARGEST
    this.cidr = cidr
  }

  /** Returns the number of addresses, with that of the network itself. */
  get size(): bigint {
    return this.#size
  }

  /**
   * Reports whether an address is in the range and may be given out. That of the network itself may not, nor
   * the broadcast address of an IPv4 network.
   */
  gives(address: string): boolean {
    const offset = toNumber(address) - this.#first
    return offset > 0n && offset < (this.family === 'IPv6' ? this.#size : this.#size - 1n)
  }

  /** The address of the network itself: what a dry run shows. */
  get network(): string {
    return this.#at(0n)
  }

  /** The first address that can be given: that of the Service `kubernetes`. */
  get first(): string {
    return this.#at(1n)
  }

  /** Returns a free address; undefined if there is none. The lower part of the range is used last. */
  free(isTaken: (address: string) => boolean): string | undefined {
    const usable = this.#count - 2n
    if (usable <= 0n) return undefined
    const kept = this.#kept
    for (let draw = 0; draw < DRAWS; draw++) {
      const address = this.#at(1n + kept + (BigInt(`0x${randomBytes(8).toString('hex')}`) % (usable - kept)))
      if (!isTaken(address)) return address
    }
    for (let step = 0n; step < usable; step++) {
      const address = this.#at(1n + ((kept + step) % usable))
      if (!isTaken(address)) return address
    }
    return undefined
  }

  get #kept(): bigint {
    if (this.#count <= STATIC_LEAST) return 0n
    const share = this.#count / STATIC_SHARE
    if (share < STATIC_LEAST) return STATIC_LEAST
    return share > STATIC_MOST ? STATIC_MOST : share
  }

  #at(offset: bigint): string {
    return toAddress(this.#first + offset, this.family)
  }
}

function toNumber(address: string): bigint {
  return BigInt(`0x${bytesOfIp(address).toString('hex')}`)
}

function toAddress(value: bigint, family: IpFamily): string {
  const digits = value.toString(16).padStart(family === 'IPv4' ? 8 : 32, '0')
  return ipOfBytes(Buffer.from(digits, 'hex'))
}
