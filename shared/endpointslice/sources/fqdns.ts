import type { EndpointSource } from './source.ts'

const LABEL = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?'
const FQDN = new RegExp(`^(?:${LABEL}\\.)+[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?\\.?$`)

/**
 * Reports whether a text is a domain name of two labels or more in lower case, as slices of the type FQDN
 * hold them.
 */
export const isFqdn = (text: string): boolean => text.length <= 253 && FQDN.test(text)

/** Makes a source of domain names, an endpoint each, in slices of the address type FQDN. */
export const fqdnSource = (names: readonly string[]): EndpointSource => ({
  addressTypes: ['FQDN'],
  endpoints: () => names.map((name) => ({ addresses: [name] })),
})
