import { BlockList, isIP } from 'node:net'
import { commaSeparated } from '../values/index.ts'

/** Stands for the ranges that no endpoint is meant to have; see `refusedAddresses`. */
export const SPECIAL = 'special'
/** No range at all. */
export const NO_RANGES = 'none'

/** Returns what is wrong with a list of ranges, in words, or `undefined` if it can be used. */
export function rangesProblem(text: string): string | undefined {
  const items = commaSeparated(text)
  if (items.includes(NO_RANGES) && items.length > 1)
    return `"${NO_RANGES}" stands alone: remove it, or the other ranges`
  const bad = items.find((item) => item !== NO_RANGES && item !== SPECIAL && !isCidr(item))
  return bad === undefined
    ? undefined
    : `"${bad}" is not a range: expected CIDR such as 10.0.0.0/8 or fd00::/8, "${SPECIAL}" or "${NO_RANGES}"`
}

/** Collects the addresses of these CIDR ranges, already checked. */
export function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/')
    list.addSubnet(network, Number(prefix), network.includes(':') ? 'ipv6' : 'ipv4')
  }
  return list
}

export function isCidr(text: string): boolean {
  const [address = '', prefix = '', ...more] = text.split('/')
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  return more.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits
}
