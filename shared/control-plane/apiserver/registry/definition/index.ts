export type { User } from '../access.ts'
export type { ObjectReader } from '../object-reader.ts'
export type { Codec, ExternalConversion, SharedStorage } from './codec.ts'
export { apiVersionOf, errorKind, keyOf, resourceName } from './names.ts'
export {
  ALL_VERBS,
  type DeleteOptions,
  type DeleteResult,
  type Endpoint,
  type EndpointStore,
  type Endpoints,
  type Lifecycle,
  type OtherKind,
  type ResourceDefinition,
  type ServerAddress,
  type Subresource,
  type SubresourceResult,
  type Verb,
  type WriteEndpoint,
  type WriteStore,
} from './resource-definition.ts'
export type { Strategy } from './strategy.ts'
export type { Column, TableColumns } from './table-columns.ts'
export type { WriteContext } from './write-context.ts'
