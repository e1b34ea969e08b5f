import { isIPv4, isIPv6 } from 'node:net'
import type { NameRule } from '../../../kubernetes/index.ts'

const NOT_AN_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
const LEADING_ZEROS = 'must not have leading 0s'

export type IpFamily = 'IPv4' | 'IPv6'

/** Returns the family; undefined if it is no IP address. An address with a zone is none in Kubernetes. */
export function familyOf(address: string): IpFamily | undefined {
  if (isIPv4(address)) return 'IPv4'
  return isIPv6(address) && !address.includes('%') ? 'IPv6' : undefined
}

/** Returns the address as RFC 5952 writes it; the input if it is no IP address. */
export function canonicalIp(address: string): string {
  if (familyOf(address) !== 'IPv6') return address
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}

/** Returns the four or sixteen bytes of an IP address. */
export function bytesOfIp(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail = ''] = canonicalIp(address).split('::')
  const [left, right] = [head, tail].map((groups) => (groups === '' ? [] : groups.split(':')))
  const zeros = Array<string>(8 - (left?.length ?? 0) - (right?.length ?? 0)).fill('0')
  const groups = [...(left ?? []), ...zeros, ...(right ?? [])]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

/** Returns the address of four or sixteen bytes, in its canonical spelling. */
export function ipOfBytes(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  return canonicalIp((Buffer.from(bytes).toString('hex').match(/.{4}/g) ?? []).join(':'))
}

/** Reports whether a text is an IPv4 address within IPv6, such as `::ffff:1.2.3.4`. */
export function isMappedIp(value: string): boolean {
  return /^::ffff:/.test(canonicalIp(value))
}

/**
 * Returns the address that Go's ParseIPSloppy reads: without leading zeros, and IPv4 where it is mapped into
 * IPv6; undefined if it reads none.
 */
export function sloppyIp(value: string): string | undefined {
  if (isSloppyIpv4(value)) return value.split('.').map(Number).join('.')
  if (familyOf(value) === undefined) return undefined
  return isMappedIp(value) ? bytesOfIp(value).subarray(12).join('.') : canonicalIp(value)
}

function isSloppyIpv4(value: string): boolean {
  return /^\d{1,10}(\.\d{1,10}){3}$/.test(value) && value.split('.').every((part) => Number(part) < 256)
}

/** Checks an IP address as old API versions do: any spelling of IPv6 (StrictIPCIDRValidation). */
export const legacyIp: NameRule = (value) => {
  if (familyOf(value) === undefined) return [isSloppyIpv4(value) ? LEADING_ZEROS : NOT_AN_IP]
  return isMappedIp(value) ? ['must not be an IPv4-mapped IPv6 address'] : []
}

/** Checks an IP address in its canonical spelling. */
export const strictIp: NameRule = (value) => {
  const malformed = legacyIp(value)
  const canonical = canonicalIp(value)
  if (malformed.length > 0 || canonical === value) return malformed
  return [`must be in canonical form ("${canonical}")`]
}

/** Returns warnings about an address that is valid but not in its canonical spelling. */
export function ipWarnings(field: string, value: string): string[] {
  const canonical = canonicalIp(value)
  if (canonical === value) return []
  return [
    `${field}: IPv6 address ${JSON.stringify(value)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`,
  ]
}

/** Addresses that no endpoint can have, and why. */
const UNUSABLE: readonly (readonly [addresses: RegExp, why: string])[] = [
  [/^127\.|^::1$/, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  [/^169\.254\.|^fe[89ab]/i, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  [/^224\.0\.0\.|^ff[0-9a-f]2:/i, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
]

/** Refuses addresses that no endpoint can have: unspecified, loopback, link-local. */
export const endpointIp: NameRule = (value) => {
  const unspecified = value === '0.0.0.0' || value === '::' ? [`may not be unspecified (${value})`] : []
  return [...unspecified, ...UNUSABLE.flatMap(([addresses, why]) => (addresses.test(value) ? [why] : []))]
}
