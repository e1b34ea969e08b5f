import type { EndpointSource } from './source.ts'

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
