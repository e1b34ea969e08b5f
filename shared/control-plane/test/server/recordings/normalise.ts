import { isIPv4, isIPv6 } from 'node:net'
import type { Json } from '../../../../../test/support/raw-client.ts'

/** Texts that hold what is another one each time, and what stands for it. */
const VOLATILE: readonly (readonly [pattern: RegExp, placeholder: string])[] = [
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>'],
  [/\bp[a-z]{1,3}-[a-z0-9]{5}\b/g, '<namespace>'],
  [/\bn-[a-z0-9]{5}\b/g, '<node>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g, '<microtime>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<time>'],
  [/\((\d{3,}|<rv>)\)/g, '(<rv>)'],
  [/(resource version: )\d+(, current: )\d+/g, '$1<rv>$2<rv>'],
  [/(resourceVersion: ")\d+"/g, '$1<rv>"'],
  [/(resourceVersion\\":\\")\d+/g, '$1<rv>'],
  [/\b10\.\d+\.\d+\.\d+\b|\bfd00:10::[0-9a-f:]+/g, '<cluster-ip>'],
  [/^\d+(s|m|h|d|y|m\d+s|h\d+m|d\d+h|y\d+d)$/, '<age>'],
  [/^eyJhbGciOi[\w-]+\.[\w-]+\.[\w-]+$/, '<token>'],
  [/^(.+-)[bcdfghjklmnpqrstvwxz2456789]{5}$/, '$1<generated>'],
]
const PORTS = new Set(['nodePort', 'healthCheckNodePort'])

/** Puts placeholders into an answer's body; members keep their order. */
export function normalise(value: Json, member = ''): Json {
  if (Array.isArray(value)) {
    const items = value.map((item) => normalise(item, member))
    // They are in the order of their times, which may be of one second or of two.
    return member === 'managedFields'
      ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : items
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, normalise(inner, name)]))
  }
  if (typeof value === 'number') return PORTS.has(member) ? '<port>' : value
  if (typeof value !== 'string') return value
  if (member === 'resourceVersion' && /^\d+$/.test(value) && value !== '0') return '<rv>'
  if (member === 'continue' && value !== '') return '<continue>'
  if (cidr(value)) return value
  // Protobuf, read as if it were text: versions stand between binary numbers.
  if (value.startsWith('k8s\0')) return value.replace(/\d{3}/g, '<rv>')
  return VOLATILE.reduce((text, [pattern, placeholder]) => text.replace(pattern, placeholder), value)
}

/** Replaces the server's own address and port, wherever they are, by those of the recording. */
export function asRecorded(value: Json, own: { readonly address: string; readonly port: number }): Json {
  const { address, port } = own
  return JSON.parse(
    JSON.stringify(value)
      .replaceAll(address, '192.0.2.10')
      .replaceAll(`127.0.0.1:${port}`, '192.0.2.10:20443')
      .replaceAll(new RegExp(`\\b${port}\\b`, 'g'), '20443'),
  )
}

function cidr(value: string): boolean {
  const [address = '', ...rest] = value.split('/')
  return rest.length === 1 && (isIPv4(address) || isIPv6(address))
}
