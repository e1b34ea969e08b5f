/** One form of IPv6 address that carries an IPv4 address in its eight groups of 16 bits. */
interface Embedding {
  readonly matches: (groups: readonly number[]) => boolean
  readonly read: (groups: readonly number[]) => number[]
}

const LAST_32_BITS = (groups: readonly number[]): number[] => groups.slice(6)

/**
 * The forms that lead to an IPv4 address by way of a translator, a tunnel or a kernel. IPv4-mapped addresses
 * (RFC 4291 2.5.5.2) are not among them, as parseIp() reads them as IPv4.
 */
const EMBEDDINGS: readonly Embedding[] = [
  // RFC 4291 2.5.5.1: IPv4-compatible, ::a.b.c.d.
  { matches: startsWith(0, 0, 0, 0, 0, 0), read: LAST_32_BITS },
  // RFC 2765: IPv4-translated, ::ffff:0:a.b.c.d.
  { matches: startsWith(0, 0, 0, 0, 0xffff, 0), read: LAST_32_BITS },
  // RFC 6052: the well-known prefix of NAT64, 64:ff9b::/96.
  { matches: startsWith(0x64, 0xff9b, 0, 0, 0, 0), read: LAST_32_BITS },
  // RFC 8215: NAT64 of the site, 64:ff9b:1::/48; RFC 6052 2.2 places the address by the length of the prefix:
  // 96, 64, 56, 48.
  { matches: startsWith(0x64, 0xff9b, 1), read: LAST_32_BITS },
  { matches: startsWith(0x64, 0xff9b, 1), read: (groups) => bytesAt(groups, [9, 10, 11, 12]) },
  { matches: startsWith(0x64, 0xff9b, 1), read: (groups) => bytesAt(groups, [7, 9, 10, 11]) },
  { matches: startsWith(0x64, 0xff9b, 1), read: (groups) => bytesAt(groups, [6, 7, 9, 10]) },
  // RFC 3056: 6to4, 2002:aabb:ccdd::/48.
  { matches: startsWith(0x2002), read: (groups) => groups.slice(1, 3) },
  // RFC 4380: Teredo, 2001::/32: the server as it is, and the client with all bits turned.
  { matches: startsWith(0x2001, 0), read: (groups) => groups.slice(2, 4) },
  { matches: startsWith(0x2001, 0), read: (groups) => groups.slice(6).map((group) => group ^ 0xffff) },
  // RFC 5214: ISATAP, an interface identifier of 0:5efe or 200:5efe and the address, in any prefix.
  {
    matches: ({ 4: flags = 0, 5: marker }) => marker === 0x5efe && (flags | 0x200) === 0x200,
    read: LAST_32_BITS,
  },
]

/** Stands in a form of address for none at all. */
const NONE = '0.0.0.0'

/**
 * Returns the IPv4 addresses that an IPv6 address stands for: NAT64, 6to4, Teredo, ISATAP, IPv4-compatible
 * and IPv4-translated ones.
 * @param ipv6 in its canonical form
 */
export function embeddedIPv4(ipv6: string): string[] {
  const groups = groupsOf(ipv6)
  return EMBEDDINGS.filter(({ matches }) => matches(groups))
    .map(({ read }) => dotted(read(groups)))
    .filter((address) => address !== NONE)
}

function startsWith(...prefix: readonly number[]): Embedding['matches'] {
  return (groups) => prefix.every((group, index) => groups[index] === group)
}

/** Returns the bytes of an address with these numbers, counted from 0, as groups. */
function bytesAt(groups: readonly number[], numbers: readonly [number, number, number, number]): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = numbers.map((number) => {
    const group = groups[number >> 1] ?? 0
    return number % 2 === 0 ? group >> 8 : group & 0xff
  })
  return [(a << 8) | b, (c << 8) | d]
}

const dotted = (groups: readonly number[]): string =>
  groups.flatMap((group) => [group >> 8, group & 0xff]).join('.')

function groupsOf(ipv6: string): number[] {
  const [head = [], tail = []] = ipv6
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16))))
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}
