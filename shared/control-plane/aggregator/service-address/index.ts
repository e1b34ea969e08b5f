export {
  resolveService,
  type ServiceAddress,
  type ServicePortReference,
  UnresolvedServiceError,
} from './resolve.ts'
