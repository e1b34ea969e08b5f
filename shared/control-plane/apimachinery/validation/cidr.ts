import type { NameRule } from '../../../kubernetes/index.ts'
import { bytesOfIp, canonicalIp, familyOf, type IpFamily, isMappedIp } from './ip.ts'

const NOT_A_BLOCK = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'
const BITS: Readonly<Record<IpFamily, number>> = { IPv4: 32, IPv6: 128 }

interface Block {
  readonly family: IpFamily
  readonly network: string
  readonly prefix: number
}

/** Returns the family of a CIDR block; undefined if it is none. */
export function familyOfBlock(value: string): IpFamily | undefined {
  return blockOf(value)?.family
}

/** Checks a CIDR block in canonical spelling, without bits beyond the prefix (IsValidCIDR). */
export const strictCidr: NameRule = (value) => {
  const malformed = legacyCidr(value)
  const block = blockOf(value)
  if (malformed.length > 0 || block === undefined) return malformed
  const canonical = `${canonicalIp(block.network)}/${block.prefix}`
  return canonical === value ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`]
}

/** Checks as `strictCidr` does, in any spelling (upstream: IsValidCIDRForLegacyField). */
export const legacyCidr: NameRule = (value) => {
  const block = blockOf(withoutLeadingZeros(value))
  if (block === undefined) return [NOT_A_BLOCK]
  const { network, prefix } = block
  if (withoutLeadingZeros(value) !== value) return ['must not have leading 0s in IP or prefix length']
  if (isMappedIp(network)) return ['must not have an IPv4-mapped IPv6 address']
  const bits = [...bytesOfIp(network)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.includes('1', prefix) ? ['must not have bits set beyond the prefix length'] : []
}

function blockOf(value: string): Block | undefined {
  const [network = '', digits = '', ...rest] = value.split('/')
  const family = familyOf(network)
  const prefix = Number(digits)
  if (family === undefined || rest.length > 0 || !/^\d+$/.test(digits) || prefix > BITS[family]) return
  return { family, network, prefix }
}

/** Removes leading zeros from the numbers of an IPv4 block that is valid but for them. */
function withoutLeadingZeros(value: string): string {
  return value.includes(':') ? value : value.replace(/\b0+(?=\d)/g, '')
}
