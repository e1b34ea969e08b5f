import { quoted } from '../../../kubernetes/index.ts'
import { bytesOfIp, ipOfBytes, isMappedIp } from '../../apimachinery/validation/ip.ts'
import { CelError } from '../errors.ts'
import { type CelValue, Opaque } from '../values/value.ts'
import { addressProblem } from './address-problem.ts'
import { type Library, overload, traversal } from './function.ts'

class Ip extends Opaque {
  override readonly typeName = 'net.IP'
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    super()
    this.bytes = bytes
  }

  get text(): string {
    return ipOfBytes(this.bytes)
  }

  override get size(): number {
    return this.bytes.length
  }

  override equals(other: Opaque): boolean {
    return other instanceof Ip && Buffer.compare(this.bytes, other.bytes) === 0
  }
}

class Cidr extends Opaque {
  override readonly typeName = 'net.CIDR'
  readonly ip: Ip
  readonly prefix: number

  constructor(ip: Ip, prefix: number) {
    super()
    this.ip = ip
    this.prefix = prefix
  }

  get text(): string {
    return `${this.ip.text}/${this.prefix}`
  }

  override get size(): number {
    return Math.ceil(this.prefix / 8)
  }

  /** Returns the block without bits beyond the prefix. */
  masked(): Cidr {
    return new Cidr(new Ip(cut(this.ip.bytes, this.prefix)), this.prefix)
  }

  includes({ bytes }: Ip): boolean {
    if (bytes.length !== this.ip.bytes.length) return false
    return Buffer.compare(cut(bytes, this.prefix), cut(this.ip.bytes, this.prefix)) === 0
  }

  override equals(other: Opaque): boolean {
    return other instanceof Cidr && other.prefix === this.prefix && other.ip.equals(this.ip)
  }
}

/** Returns the bytes with zeros after this many bits. */
function cut(bytes: Uint8Array, bits: number): Uint8Array {
  return bytes.map((byte, index) => {
    const kept = Math.max(0, Math.min(8, bits - index * 8))
    return byte & (0xff << (8 - kept))
  })
}

/** Returns what is wrong with an address, in upstream's words; undefined if nothing is. */
function ipProblem(text: string): string | undefined {
  const shown = quoted(text)
  const why = addressProblem(text)
  if (why !== undefined)
    return `IP Address ${shown} parse error during conversion from string: ParseAddr(${shown}): ${why}`
  if (text.includes('%')) return `IP address ${shown} with zone value is not allowed`
  return isMappedIp(text) ? `IPv4-mapped IPv6 address ${shown} is not allowed` : undefined
}

function parseIp(text: string): Ip {
  const problem = ipProblem(text)
  if (problem) throw new CelError(problem)
  return new Ip(bytesOfIp(text))
}

const PREFIX = 'network address parse error during conversion from string: '

function parseCidr(text: string): Cidr {
  const slash = text.lastIndexOf('/')
  const digits = text.slice(slash + 1)
  const address = text.slice(0, Math.max(0, slash))
  const failure = `${PREFIX}${PREFIX}netip.ParsePrefix(${quoted(text)})`
  if (slash < 0) throw new CelError(`${failure}: no '/'`)
  const why = addressProblem(address)
  if (why !== undefined) throw new CelError(`${failure}: ParseAddr(${quoted(address)}): ${why}`)
  if (address.includes('%')) throw new CelError(`${failure}: IPv6 zones cannot be present in a prefix`)
  if (!/^(0|[1-9]\d*)$/.test(digits))
    throw new CelError(`${failure}: bad bits after slash: ${quoted(digits)}`)
  const bytes = bytesOfIp(address)
  if (Number(digits) > bytes.length * 8) throw new CelError(`${failure}: prefix length out of range`)
  if (isMappedIp(address))
    throw new CelError(`${PREFIX}IPv4-mapped IPv6 address ${quoted(text)} is not allowed`)
  return new Cidr(new Ip(bytes), Number(digits))
}

function isCidr(text: string): boolean {
  try {
    parseCidr(text)
    return true
  } catch (error) {
    if (error instanceof CelError) return false
    throw error
  }
}

const ip =
  (read: (bytes: Uint8Array, ip: Ip) => CelValue) =>
  ([value]: readonly CelValue[]): CelValue =>
    read((value as Ip).bytes, value as Ip)

const isV4 = (bytes: Uint8Array): boolean => bytes.length === 4
const isUnspecified = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)
const isLoopback = (bytes: Uint8Array): boolean =>
  isV4(bytes) ? bytes[0] === 127 : bytes.every((byte, index) => byte === (index === 15 ? 1 : 0))
const isLinkLocalUnicast = ([a = 0, b = 0, ...rest]: Uint8Array): boolean =>
  rest.length === 2 ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80
const isLinkLocalMulticast = ([a = 0, b = 0, c = 0, ...rest]: Uint8Array): boolean =>
  rest.length === 1 ? a === 224 && b === 0 && c === 0 : a === 0xff && (b & 0x0f) === 0x02
const isMulticast = ([a = 0, , , , ...rest]: Uint8Array): boolean =>
  rest.length === 0 ? a >> 4 === 14 : a === 0xff
const isBroadcast = (bytes: Uint8Array): boolean => isV4(bytes) && bytes.every((byte) => byte === 255)

function isGlobalUnicast(bytes: Uint8Array): boolean {
  return ![isUnspecified, isLoopback, isMulticast, isLinkLocalUnicast, isBroadcast].some((is) => is(bytes))
}

function containsIp([block, other]: readonly CelValue[]): boolean {
  if (typeof other === 'string' && ipProblem(other) !== undefined) throw new CelError('no such overload')
  return (block as Cidr).includes(typeof other === 'string' ? parseIp(other) : (other as Ip))
}

function containsCidr([block, other]: readonly CelValue[]): boolean {
  const outer = block as Cidr
  const inner = typeof other === 'string' ? parseCidr(other) : (other as Cidr)
  return outer.prefix <= inner.prefix && outer.includes(inner.ip)
}

/** Returns the cost. A comparison goes as far as the prefix, twice; a text is read before. */
function containsCost(rounds: number, more: number) {
  return ([block, other]: readonly CelValue[]): number => {
    const { size } = block as Cidr
    const read = typeof other === 'string' ? Math.ceil(other.length / 10) : 0
    return Math.ceil((size * 2) / 10) + (rounds > 2 ? Math.ceil(size / 10) : 0) + more + read
  }
}

/** IP addresses and CIDR blocks. */
export const ADDRESSES: Library = {
  ip: [
    overload('(string) -> net.IP', ([a]) => parseIp(a as string), traversal()),
    overload('net.CIDR.() -> net.IP', ([a]) => (a as Cidr).ip),
  ],
  isIP: [overload('(string) -> bool', ([a]) => ipProblem(a as string) === undefined, traversal())],
  'ip.isCanonical': [overload('(string) -> bool', ([a]) => parseIp(a as string).text === a, traversal(2))],
  family: [
    overload(
      'net.IP.() -> int',
      ip((bytes) => (isV4(bytes) ? 4n : 6n)),
    ),
  ],
  isUnspecified: [overload('net.IP.() -> bool', ip(isUnspecified))],
  isLoopback: [overload('net.IP.() -> bool', ip(isLoopback))],
  isLinkLocalMulticast: [overload('net.IP.() -> bool', ip(isLinkLocalMulticast))],
  isLinkLocalUnicast: [overload('net.IP.() -> bool', ip(isLinkLocalUnicast))],
  isGlobalUnicast: [overload('net.IP.() -> bool', ip(isGlobalUnicast))],
  cidr: [overload('(string) -> net.CIDR', ([a]) => parseCidr(a as string), traversal())],
  isCIDR: [overload('(string) -> bool', ([a]) => isCidr(a as string), traversal())],
  containsIP: [
    overload('net.CIDR.(string) -> bool', containsIp, containsCost(2, 0)),
    overload('net.CIDR.(net.IP) -> bool', containsIp, containsCost(2, 0)),
  ],
  containsCIDR: [
    overload('net.CIDR.(string) -> bool', containsCidr, containsCost(3, 1)),
    overload('net.CIDR.(net.CIDR) -> bool', containsCidr, containsCost(3, 1)),
  ],
  prefixLength: [overload('net.CIDR.() -> int', ([a]) => BigInt((a as Cidr).prefix))],
  masked: [overload('net.CIDR.() -> net.CIDR', ([a]) => (a as Cidr).masked())],
  string: [
    overload('(net.IP) -> string', ([a]) => (a as Ip).text),
    overload('(net.CIDR) -> string', ([a]) => (a as Cidr).text),
  ],
}
