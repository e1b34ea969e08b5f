export { type AddressFilter, createAddressFilter } from './refused-addresses.ts'
