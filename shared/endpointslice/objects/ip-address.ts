export interface IpAddress {
  readonly type: 'IPv4' | 'IPv6'
  /** RFC 5952 for IPv6, dotted decimal for IPv4. */
  readonly text: string
}

const OCTET = '(?:0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])'
const CANONICAL_IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`)

/** A group without leading zeros that is not zero, so that no run of zeros can be longer than the gap. */
const GROUP = '[1-9a-f][0-9a-f]{0,3}'
const groups = (most: number): string => `${GROUP}(?::${GROUP}){0,${most - 1}}`
/** The usual pod addresses, which are canonical as they stand; any other goes through the parser. */
const SURELY_CANONICAL_IPV6 = new RegExp(
  `^(?:${groups(5)}::${groups(1)}|${groups(4)}::${groups(2)}|${groups(3)}::${groups(3)}|${GROUP}(?::${GROUP}){7})$`,
)

/**
 * Reads an IP address as leniently as Kubernetes does for pods (leading zeros, upper case, long forms), and
 * gives its one canonical form. IPv4-mapped IPv6 addresses are IPv4. (k8s.io/utils/net ParseIPSloppy)
 * @returns `undefined` when the text is no IP address.
 * @example
 * ```ts
 * parseIp('FD00::0005') // => { type: 'IPv6', text: 'fd00::5' }
 * parseIp('10.0.0') // => undefined
 * ```
 */
export function parseIp(text: string): IpAddress | undefined {
  if (CANONICAL_IPV4.test(text)) return { type: 'IPv4', text }
  if (SURELY_CANONICAL_IPV6.test(text)) return { type: 'IPv6', text }
  return text.includes(':') ? parseIPv6(text) : ipv4(parseOctets(text))
}

const ipv4 = (octets: readonly number[] | undefined): IpAddress | undefined =>
  octets && { type: 'IPv4', text: octets.join('.') }

function parseOctets(text: string): number[] | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^\d+$/.test(part))) return undefined
  const octets = parts.map(Number)
  return octets.every((octet) => octet <= 255) ? octets : undefined
}

function parseIPv6(text: string): IpAddress | undefined {
  const halves = text.split('::')
  const head = parseGroups(halves[0] ?? '', halves.length === 1)
  const tail = halves.length === 1 ? [] : parseGroups(halves[1] ?? '', true)
  if (halves.length > 2 || head === undefined || tail === undefined) return undefined
  const missing = 8 - head.length - tail.length
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined
  const all = [...head, ...new Array<number>(missing).fill(0), ...tail]
  return mappedIPv4(all) ?? { type: 'IPv6', text: formatIPv6(all) }
}

function parseGroups(text: string, mayEndInIPv4: boolean): number[] | undefined {
  if (text === '') return []
  const parts = text.split(':')
  const octets = mayEndInIPv4 && text.includes('.') ? parseOctets(parts.pop() ?? '') : []
  if (octets === undefined || !parts.every((part) => /^[0-9a-f]+$/i.test(part))) return undefined
  const numbers = parts.map((part) => Number.parseInt(part, 16))
  const [a = 0, b = 0, c = 0, d = 0] = octets
  if (octets.length > 0) numbers.push(a * 256 + b, c * 256 + d)
  return numbers.every((number) => number <= 0xffff) ? numbers : undefined
}

function mappedIPv4(numbers: readonly number[]): IpAddress | undefined {
  if (numbers[5] !== 0xffff || numbers.slice(0, 5).some((number) => number !== 0)) return undefined
  const [high = 0, low = 0] = numbers.slice(6)
  return ipv4([high >> 8, high & 0xff, low >> 8, low & 0xff])
}

/** Formats an IPv6 address by RFC 5952: lower case, without the first longest run of two zeros or more. */
function formatIPv6(numbers: readonly number[]): string {
  const hex = (part: readonly number[]): string => part.map((number) => number.toString(16)).join(':')
  let start = -1
  let length = 1
  for (let from = 0; from < numbers.length; from++) {
    let end = from
    while (numbers[end] === 0) end++
    if (end - from > length) {
      start = from
      length = end - from
    }
  }
  if (start < 0) return hex(numbers)
  return `${hex(numbers.slice(0, start))}::${hex(numbers.slice(start + length))}`
}
