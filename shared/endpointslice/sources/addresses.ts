import { isIP } from 'node:net'
import { parseIp } from '../objects/ip-address.ts'
import type { EndpointSource } from './source.ts'

/**
 * Makes a source of chosen addresses, an endpoint each, always ready.
 * @example
 * ```ts
 * const service = {
 *   metadata: { name: 'db', namespace: 'shop', uid: 'u1' },
 *   spec: { clusterIP: '10.96.0.7', ports: [{ port: 5432 }] },
 * }
 * const { create } = plan({ service, pods: [], nodes: [], slices: [], source: addressSource(['192.0.2.7']) })
 * create.map(({ endpoints }) => endpoints?.map(({ addresses }) => addresses)) // => [[['192.0.2.7']]]
 * ```
 */
export const addressSource = (addresses: readonly string[]): EndpointSource => ({
  endpoints: () => addresses.map((address) => ({ addresses: [address] })),
})

interface SpecialRange {
  readonly name: string
  readonly pattern: RegExp
}

/** Ranges by the canonical text: those that the API server refuses as well, and all of multicast. */
export const SPECIAL_RANGES: readonly SpecialRange[] = [
  { name: 'unspecified', pattern: /^(?:0\.0\.0\.0|::)$/ },
  { name: 'loopback', pattern: /^(?:127\.|::1$)/ },
  { name: 'link-local', pattern: /^(?:169\.254\.|fe[89ab][0-9a-f]:)/ },
  { name: 'multicast', pattern: /^(?:22[4-9]\.|23\d\.|ff[0-9a-f]{2}:)/ },
]

/**
 * Returns why an address that a person wrote cannot be published, in words, or `undefined` if it can. It is
 * stricter than parseIp(): leading zeros may be meant as octal numbers.
 * @example
 * ```ts
 * addressProblem('10.0.0.5') // => undefined
 * addressProblem('127.0.0.1') // => '127.0.0.1 is a loopback address'
 * ```
 */
export function addressProblem(text: string): string | undefined {
  const ip = isIP(text) === 0 || text.includes('%') ? undefined : parseIp(text)
  if (ip === undefined) return `"${text}" is not an IP address`
  const range = SPECIAL_RANGES.find(({ pattern }) => pattern.test(ip.text))
  return range && `${ip.text} is ${range.name === 'unspecified' ? 'the' : 'a'} ${range.name} address`
}

/**
 * Makes a source of domain names, an endpoint each, in slices of the address type FQDN.
 * @example
 * ```ts
 * const service = { metadata: { name: 'db', namespace: 'shop', uid: 'u1' }, spec: { clusterIP: 'None' } }
 * const source = fqdnSource(['db.example.org'])
 * const { create } = plan({ service, pods: [], nodes: [], slices: [], source })
 * create.map(({ addressType }) => addressType) // => ['FQDN']
 * ```
 */
export const fqdnSource = (names: readonly string[]): EndpointSource => ({
  addressTypes: ['FQDN'],
  endpoints: () => names.map((name) => ({ addresses: [name] })),
})
