import type { EndpointSlice } from '../types.ts'

/**
 * Reports whether a slice is a placeholder: it has neither endpoints nor ports, and shows that its Service
 * was synced.
 * @example
 * ```ts
 * isPlaceholder({ addressType: 'IPv4', endpoints: [], ports: [] }) // => true
 * isPlaceholder({ addressType: 'IPv4', endpoints: [], ports: [{ port: 80 }] }) // => false
 * ```
 */
export const isPlaceholder = ({ endpoints, ports }: EndpointSlice): boolean =>
  !endpoints?.length && !ports?.length
