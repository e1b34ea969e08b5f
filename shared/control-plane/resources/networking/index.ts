export { ipAddresses } from './ip-addresses.ts'
export { serviceCidrs } from './service-cidrs.ts'
