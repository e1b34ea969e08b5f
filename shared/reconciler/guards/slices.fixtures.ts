import { seal } from '../../changes/index.ts'
import type { EndpointSlice, Service } from '../../endpointslice/index.ts'
import type { Changes } from '../slice-changes.ts'
import { sealNotes } from './published/slice-notes.ts'

export const NOW = Date.parse('2026-01-01T12:00:00.000Z')
export const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString()

export interface SliceInput {
  readonly addresses?: readonly string[]
  readonly unready?: readonly string[]
  readonly annotations?: Readonly<Record<string, string>>
  readonly port?: number
  readonly addressType?: 'IPv4' | 'IPv6'
}

/** Returns a slice as we wrote it. */
export function slice(name: string, input: SliceInput = {}): EndpointSlice {
  const { addresses = [], unready = [], annotations = {}, port = 80, addressType = 'IPv4' } = input
  const endpoint = (address: string, ready: boolean) => ({ addresses: [address], conditions: { ready } })
  const content = {
    metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: '1', annotations },
    addressType,
    endpoints: [
      ...addresses.map((address) => endpoint(address, true)),
      ...unready.map((address) => endpoint(address, false)),
    ],
    ports: [{ name: 'http', port, protocol: 'TCP' }],
  }
  return sealNotes(seal(content))
}

export const changes = (some: Partial<Changes> = {}): Changes => ({
  create: [],
  update: [],
  delete: [],
  ...some,
})

/** Returns `10.0.0.1` and the addresses after it. */
export const addresses = (count: number, from = 1): string[] =>
  Array.from({ length: count }, (_, index) => `10.0.0.${from + index}`)

export const service = (annotations: Readonly<Record<string, string>> = {}): Service => ({
  metadata: { name: 'web', namespace: 'shop', uid: 'uid-web', annotations },
})
