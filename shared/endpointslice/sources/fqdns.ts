import type { EndpointSource } from './source.ts'

/** Makes a source of domain names, an endpoint each, in slices of the address type FQDN. */
export const fqdnSource = (names: readonly string[]): EndpointSource => ({
  addressTypes: ['FQDN'],
  endpoints: () => names.map((name) => ({ addresses: [name] })),
})
