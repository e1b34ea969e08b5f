export { type AddressFilter, createAddressFilter } from './refused-addresses.ts'
export { REFUSED_GUARD } from './refused-guard.ts'
