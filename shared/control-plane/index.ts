export { type ClusterConnection, loadClusters } from '../kubernetes/index.ts'
export type { GroupResource } from './apimachinery/errors/factories.ts'
export type { FieldError } from './apimachinery/errors/field.ts'
export { ApiError, type Status } from './apimachinery/errors/status.ts'
export type { JsonObject, JsonValue } from './apimachinery/json/exact-numbers.ts'
export { type KubeObject, labelsOf, type ObjectMetadata } from './apimachinery/objects.ts'
export { encodeEvent, encodeObject } from './apimachinery/protobuf/envelope.ts'
export type { AuditEvent, AuditSink } from './apiserver/http/audit.ts'
export type { RequestLimits } from './apiserver/http/in-flight.ts'
export type { Authorize, Decision, RequestAttributes, User } from './apiserver/registry/access.ts'
export type {
  AdmissionAttributes,
  AdmissionOperation,
  AdmissionPlugin,
  AdmissionRequest,
  GroupVersionKind,
  GroupVersionResource,
  RequestLifetime,
} from './apiserver/registry/admission/types.ts'
export type { Codec, ExternalConversion, SharedStorage } from './apiserver/registry/definition/codec.ts'
export type {
  DeleteResult,
  Endpoints,
  Lifecycle,
  OtherKind,
  ResourceDefinition,
  ServerAddress,
  Subresource,
  SubresourceResult,
  Verb,
} from './apiserver/registry/definition/resource-definition.ts'
export type { Strategy } from './apiserver/registry/definition/strategy.ts'
export type { Column, TableColumns } from './apiserver/registry/definition/table-columns.ts'
export type { WriteContext } from './apiserver/registry/definition/write-context.ts'
export type { ObjectReader } from './apiserver/registry/object-reader.ts'
export type { Registry } from './apiserver/registry/registry.ts'
export type {
  PastChange,
  StorageBackend,
  StoredChange,
  StoredRow,
  StoredState,
} from './apiserver/storage/backend.ts'
export { ageOf } from './apiserver/table/format.ts'
export type { StaticTokens, TokenAuthenticator } from './auth/security/authentication.ts'
export { type Authority, certificateAuthority, type KeyPair } from './auth/security/certificates.ts'
export type { JwtAuthenticatorOptions } from './auth/security/jwt/jwt-authenticator.ts'
export type { KeySetSource } from './auth/security/jwt/key-set.ts'
export type { RequestHeaderOptions } from './auth/security/request-header.ts'
export { parseTokenFile } from './auth/security/token-file.ts'
export { type ControlPlane, createControlPlane } from './control-plane.ts'
export {
  API_CONTROLLERS,
  type ApiControllerName,
  CONTROLLERS,
  type ControllerName,
} from './controllers/names.ts'
export {
  type RemoteControllers,
  type RemoteControllersOptions,
  startRemoteControllers,
} from './controllers/start-remote.ts'
export type {
  ApiOptions,
  AuthenticationOptions,
  ControlPlaneOptions,
  ListenOptions,
  ObserverOptions,
  StorageOptions,
} from './options.ts'
export { builtinResources, type ResourceSet } from './resources/builtin.ts'
