export {
  type Authorize,
  type Decision,
  decide,
  ISSUER,
  type RequestAttributes,
  type TokenClaims,
} from './access.ts'
export {
  type AdmissionAttributes,
  type AdmissionOperation,
  type AdmissionPlugin,
  type AdmissionRequest,
  admissionOf,
  type GroupVersionKind,
  type GroupVersionResource,
  type RequestLifetime,
} from './admission/index.ts'
export { writeConverted } from './conversion/index.ts'
export { type DecodedKind, decodeObject, encodeObject } from './decode.ts'
export {
  ALL_VERBS,
  apiVersionOf,
  type Codec,
  type Column,
  type DeleteOptions,
  type DeleteResult,
  type Endpoint,
  type Endpoints,
  type ExternalConversion,
  keyOf,
  type Lifecycle,
  type ObjectReader,
  type OtherKind,
  type ResourceDefinition,
  type ServerAddress,
  type SharedStorage,
  type Strategy,
  type Subresource,
  type SubresourceResult,
  type TableColumns,
  type User,
  type Verb,
  type WriteContext,
  type WriteEndpoint,
} from './definition/index.ts'
export { Registry } from './registry.ts'
export { systemContext } from './system-context.ts'
export { compareVersions } from './versions.ts'
export {
  admitAndCreate,
  admitAndDelete,
  admitAndUpdate,
  answerQuestion,
  checkNamespace,
  checkPreconditions,
  checkUid,
  countGeneration,
  createObject,
  deleteObject,
  deletionAnswer,
  isQuestion,
  trackingOf,
  type UpdateTarget,
  updateObject,
} from './writes/index.ts'
