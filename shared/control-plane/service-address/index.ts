export { resolveService, type ServiceAddress, type ServicePortReference } from './resolve.ts'
