export { type ClusterConnection, loadClusters } from '../kubernetes/index.ts'
export { ApiError, type FieldError, type GroupResource, type Status } from './apimachinery/errors/index.ts'
export type { JsonObject, JsonValue } from './apimachinery/json/index.ts'
export { type KubeObject, labelsOf, type ObjectMetadata } from './apimachinery/objects.ts'
export { encodeEvent, encodeObject } from './apimachinery/protobuf/envelope.ts'
export type { AuditEvent, AuditSink, RequestLimits } from './apiserver/http/index.ts'
export type {
  AdmissionAttributes,
  AdmissionOperation,
  AdmissionPlugin,
  AdmissionRequest,
  Authorize,
  Codec,
  Column,
  Decision,
  DeleteResult,
  Endpoints,
  ExternalConversion,
  GroupVersionKind,
  GroupVersionResource,
  Lifecycle,
  ObjectReader,
  OtherKind,
  Registry,
  RequestAttributes,
  RequestLifetime,
  ResourceDefinition,
  ServerAddress,
  SharedStorage,
  Strategy,
  Subresource,
  SubresourceResult,
  TableColumns,
  User,
  Verb,
  WriteContext,
} from './apiserver/registry/index.ts'
export type {
  PastChange,
  StorageBackend,
  StoredChange,
  StoredRow,
  StoredState,
} from './apiserver/storage/index.ts'
export { ageOf } from './apiserver/table/index.ts'
export {
  type Authority,
  certificateAuthority,
  type JwtAuthenticatorOptions,
  type KeyPair,
  type KeySetSource,
  parseTokenFile,
  type RequestHeaderOptions,
  type StaticTokens,
  type TokenAuthenticator,
} from './auth/security/index.ts'
export { type ControlPlane, createControlPlane } from './control-plane.ts'
export {
  API_CONTROLLERS,
  type ApiControllerName,
  CONTROLLERS,
  type ControllerName,
  type RemoteControllers,
  type RemoteControllersOptions,
  startRemoteControllers,
} from './controllers/index.ts'
export type {
  ApiOptions,
  AuthenticationOptions,
  ControlPlaneOptions,
  ListenOptions,
  ObserverOptions,
  StorageOptions,
} from './options.ts'
export { builtinResources, type ResourceSet } from './resources/index.ts'
